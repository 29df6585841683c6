// Random operations on a small contiguous pool, against the plainest model of it: one owner a slot.

#include <rapidcheck.h>

#include <algorithm>

#include "core/blocks/contiguous_pool.h"
#include "core/error.h"
#include "core/trace/invariants.h"
#include "core/trace/world.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

constexpr std::uint32_t kSlots = 24;
constexpr std::uint32_t kRequests = 5;
constexpr std::uint32_t kFree = UINT32_MAX;

/// Who owns each slot; finds holes by counting.
struct SlotOwners {
  std::vector<std::uint32_t> owners = std::vector<std::uint32_t>(kSlots, kFree);

  std::uint32_t first_hole_of(std::uint32_t size) const {  // kSlots: none
    for (std::uint32_t first = 0; first + size <= kSlots; ++first) {
      const auto begin = owners.begin() + first;
      if (std::all_of(begin, begin + size, [](std::uint32_t owner) { return owner == kFree; })) return first;
    }
    return kSlots;
  }
  std::uint32_t largest_hole() const {
    std::uint32_t size = 0;
    while (size < kSlots && first_hole_of(size + 1) < kSlots) ++size;
    return size;
  }
  std::uint64_t count(std::uint32_t owner) const {
    return static_cast<std::uint64_t>(std::count(owners.begin(), owners.end(), owner));
  }
};

class FoldingSink : public EventSink {
 public:
  void emit(Event event) override { fold(world, event); }
  World world;
};

class Machine {
 public:
  Machine() : pool_(kSlots, sink_) {
    for (std::uint32_t id = 0; id < kRequests; ++id) {
      sink_.emit(RequestArrived{RequestId{id}, {}, 0});
      sink_.emit(RequestAdmitted{RequestId{id}});
    }
  }

  void apply(std::uint32_t code) {
    const std::uint32_t id = code % kRequests;
    const std::uint32_t amount = code / 16 % 12;
    switch (code % 3) {
      case 0:
        return reserve(id, amount);
      case 1:
        return grow(id, amount);
      default:
        return release(id);
    }
  }

  void check() const {
    if (const std::string wrong = fault(); !wrong.empty()) RC_FAIL(wrong);
  }

 private:
  /// Where the pool or the world folded from its events differs from the model; empty: nowhere.
  std::string fault() const {
    const std::vector<std::string> sentences = violations(sink_.world);
    if (!sentences.empty()) return sentences.front();
    if (pool_.free_slots() != model_.count(kFree)) return "the free slots of " + pool_.show();
    if (pool_.largest_hole() != model_.largest_hole()) return "the largest hole of " + pool_.show();
    std::uint64_t written = 0;
    for (std::uint32_t id = 0; id < kRequests; ++id) {
      const auto& region = sink_.world.request(RequestId{id}).region;
      if ((region ? region->num_slots : 0) != model_.count(id)) return "the size of a region of " + pool_.show();
      for (std::uint64_t slot = 0; region && slot < region->num_slots; ++slot) {
        if (model_.owners[region->first_slot + slot] != id) return "the place of a region of " + pool_.show();
      }
      written += written_[id];
    }
    if (pool_.written_slots() != written) return "the written slots of " + pool_.show();
    if (pool_.reserved_unused_slots() + pool_.free_slots() + written != kSlots) return "the sum of " + pool_.show();
    return {};
  }

  void reserve(std::uint32_t id, std::uint32_t amount) {
    if (amount == 0 || model_.count(id) > 0) return refused([&] { return pool_.reserve(RequestId{id}, amount); });
    const std::uint32_t first = model_.first_hole_of(amount);
    RC_ASSERT(pool_.reserve(RequestId{id}, amount) == (first < kSlots));
    if (first < kSlots) std::fill_n(model_.owners.begin() + first, amount, id);
  }
  void grow(std::uint32_t id, std::uint32_t amount) {
    const bool reserved = model_.count(id) > 0;
    if (!reserved || written_[id] + amount > model_.count(id)) {
      return refused([&] { pool_.grow(RequestId{id}, amount); });
    }
    pool_.grow(RequestId{id}, amount);
    written_[id] += amount;
  }
  void release(std::uint32_t id) {
    if (model_.count(id) == 0) return refused([&] { pool_.release(RequestId{id}); });
    pool_.release(RequestId{id});
    std::replace(model_.owners.begin(), model_.owners.end(), id, kFree);
    written_[id] = 0;
  }
  template <typename Call>
  void refused(const Call& call) {
    const std::string before = pool_.show();
    RC_ASSERT_THROWS_AS(call(), MisuseError);
    RC_ASSERT(pool_.show() == before);
  }

  FoldingSink sink_;
  ContiguousPool pool_;
  SlotOwners model_;
  std::uint64_t written_[kRequests] = {};
};

TEST_CASE("random reservations in a row of 24 slots agree with one owner a slot") {
  CHECK(rc::check([] {
    const auto codes = *rc::gen::scale(30, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 2880U)));
    Machine machine;
    for (const std::uint32_t code : codes) {
      machine.apply(code);
      machine.check();
    }
  }));
}

}  // namespace
}  // namespace kvarium
