#include "visualizer/commands/memory_meter.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kvarium {

double SharedMemory::saved_percent() const {
  if (without_sharing == 0) return 0;
  return 100.0 * static_cast<double>(without_sharing - blocks) / static_cast<double>(without_sharing);
}

void MemoryMeter::emit(Event event) {
  fold(world_, event);
  const bool computed = std::holds_alternative<KvComputed>(event);
  sink_.emit(std::move(event));
  if (computed) measure();
}

void MemoryMeter::measure() {
  std::vector<BlockId> held;
  for (const auto& request : world_.requests) held.insert(held.end(), request->table.begin(), request->table.end());
  SharedMemory now{0, held.size()};
  std::sort(held.begin(), held.end());
  now.blocks = static_cast<std::size_t>(std::unique(held.begin(), held.end()) - held.begin());
  const auto saved = [](const SharedMemory& memory) { return memory.without_sharing - memory.blocks; };
  if (std::pair(saved(now), now.blocks) >= std::pair(saved(most_saved_), most_saved_.blocks)) most_saved_ = now;
}

}  // namespace kvarium
