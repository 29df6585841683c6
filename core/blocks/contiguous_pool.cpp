#include "core/blocks/contiguous_pool.h"

#include <algorithm>

#include "core/error.h"

namespace kvarium {

ContiguousPool::ContiguousPool(std::uint64_t num_slots, EventSink& sink) : num_slots_(num_slots), sink_(sink) {
  if (num_slots == 0) throw InputError("a contiguous pool of 0 slots: give it at least 1");
  sink_.emit(ArenaCreated{num_slots});
}

std::vector<ContiguousPool::Hole> ContiguousPool::holes() const {
  std::vector<Hole> found;
  std::uint64_t end = 0;  // of what lies to the left
  for (std::size_t i = 0; i < reservations_.size(); ++i) {
    const Reservation& next = reservations_[i];
    if (next.first_slot > end) found.push_back({i, end, next.first_slot - end});
    end = next.first_slot + next.num_slots;
  }
  if (end < num_slots_) found.push_back({reservations_.size(), end, num_slots_ - end});
  return found;
}

std::size_t ContiguousPool::find(RequestId request) const {
  std::size_t i = 0;
  while (i < reservations_.size() && reservations_[i].request != request) ++i;
  return i;
}

std::size_t ContiguousPool::must_find(RequestId request) const {
  const std::size_t i = find(request);
  if (i == reservations_.size()) throw MisuseError("request " + letter(request) + " has no reservation");
  return i;
}

bool ContiguousPool::reserve(RequestId request, std::uint32_t max_tokens) {
  if (max_tokens == 0) throw MisuseError("a reservation of 0 slots");
  if (find(request) < reservations_.size()) {
    throw MisuseError("request " + letter(request) + " has a reservation already");
  }
  for (const Hole& hole : holes()) {
    if (hole.num_slots < max_tokens) continue;
    reservations_.insert(reservations_.begin() + static_cast<std::ptrdiff_t>(hole.before),
                         {request, hole.first_slot, max_tokens, 0});
    sink_.emit(RegionReserved{request, hole.first_slot, max_tokens});
    return true;
  }
  return false;
}

void ContiguousPool::grow(RequestId request, std::uint32_t tokens) {
  Reservation& reservation = reservations_[must_find(request)];
  if (tokens > reservation.num_slots - reservation.written) {
    throw MisuseError("request " + letter(request) + " reserved " + std::to_string(reservation.num_slots) +
                      " slots and wrote " + std::to_string(reservation.written) + ": there is no room for " +
                      std::to_string(tokens) + " more");
  }
  reservation.written += tokens;
}

void ContiguousPool::release(RequestId request) {
  reservations_.erase(reservations_.begin() + static_cast<std::ptrdiff_t>(must_find(request)));
  sink_.emit(RegionReleased{request});
}

Slot ContiguousPool::slot_of(RequestId request, std::uint32_t position) const {
  const Reservation& reservation = reservations_[must_find(request)];
  if (position >= reservation.written) {
    throw MisuseError("position " + std::to_string(position) + " of request " + letter(request) +
                      " is not written: it has " + std::to_string(reservation.written) + " tokens");
  }
  return Slot{reservation.first_slot + position};
}

std::uint64_t ContiguousPool::reserved_slots() const {
  std::uint64_t slots = 0;
  for (const Reservation& reservation : reservations_) slots += reservation.num_slots;
  return slots;
}

std::uint64_t ContiguousPool::written_slots() const {
  std::uint64_t slots = 0;
  for (const Reservation& reservation : reservations_) slots += reservation.written;
  return slots;
}

std::uint64_t ContiguousPool::largest_hole() const {
  std::uint64_t largest = 0;
  for (const Hole& hole : holes()) largest = std::max(largest, hole.num_slots);
  return largest;
}

std::string ContiguousPool::show() const {
  const std::vector<Hole> gaps = holes();
  auto gap = gaps.begin();
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "[" : " [") + part + "]"; };
  for (std::size_t i = 0; i <= reservations_.size(); ++i) {
    if (gap != gaps.end() && gap->before == i) add("free " + std::to_string((gap++)->num_slots));
    if (i == reservations_.size()) break;
    const Reservation& here = reservations_[i];
    add(letter(here.request) + " " + std::to_string(here.written) + "/" + std::to_string(here.num_slots));
  }
  return text;
}

}  // namespace kvarium
