#include "lessons/kit/measured_kernel.h"

#include <algorithm>

#include "core/cost/units.h"
#include "core/words/words.h"
#include "cuda/demos/stepped_kernel.h"
#include "cuda/simt/emulator/options.h"
#include "lessons/kit/points.h"

namespace kvarium {

using cuda::emulator::LineCount;

MeasuredKernel::MeasuredKernel(cuda::demos::Instance& instance) {
  cuda::emulator::Emulation options;
  options.log = &log;
  const cuda::emulator::UseEmulation use(options);
  cuda::emulator::run_launch(instance.launch());
  result = instance.outputs()[0];
}

LineCount MeasuredKernel::reads(const std::vector<std::string>& regions) const {
  LineCount sum;
  for (const LineCount& line : log.lines()) {
    const bool is_one = std::find(regions.begin(), regions.end(), line.region) != regions.end();
    if (!is_one || line.access != cuda::emulator::Access::load) continue;
    sum.requests += line.requests;
    sum.bytes += line.bytes;
    sum.answers += line.answers;
    sum.fewest_answers += line.fewest_answers;
  }
  return sum;
}

std::string ladder_heads(const std::string& counted) {
  return tr_format("{:<7}{:>12}{:>10}{:>10}{:>10}{:>12}{:>10}\n", "rung", counted, "fewer", "sectors", "fewest",
                   "wavefronts", "fewest");
}

std::string ladder_row(const std::string& name, const MeasuredKernel& rung, const MeasuredKernel& first,
                       const std::vector<std::string>& regions) {
  const cuda::demos::Traffic traffic = cuda::demos::traffic(rung.log);
  const std::size_t bytes = rung.reads(regions).bytes;
  return fmt::format("{:<7}{:>12}{:>10.1f}{:>10}{:>10}{:>12}{:>10}\n", name, binary_size(bytes),
                     static_cast<double>(first.reads(regions).bytes) / static_cast<double>(bytes), traffic.sectors,
                     traffic.fewest_sectors, traffic.wavefronts, traffic.fewest_wavefronts);
}

std::vector<std::string> points_to_rung(const char* kernel, const char* rung) {
  const cuda::demos::DemoPlace place = cuda::demos::find_demo(kernel, rung, "");
  return {tab_point("kernel"), cuda::demos::step_point({place, cuda::demos::StepSize::phase, 1})};
}

}  // namespace kvarium
