#include "cuda/simt/emulator/warp.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/warp_call.h"

namespace kvarium::cuda::emulator {
namespace {

struct ShuffleIn {
  Shuffle kind;
  const void* value;
  std::size_t bytes;
  int amount;
  unsigned width;
};

/// The lane that `lane` reads from; itself when the one it names is outside of its group.
unsigned source_of(unsigned lane, const ShuffleIn& in) {
  const unsigned group = lane & ~(in.width - 1);
  const auto amount = static_cast<unsigned>(in.amount);
  switch (in.kind) {
    case Shuffle::index:
      return group + (amount & (in.width - 1));
    case Shuffle::up:
      return lane - group >= amount ? lane - amount : lane;
    case Shuffle::down:
      return amount < group + in.width - lane ? lane + amount : lane;
    case Shuffle::butterfly:
      return (lane ^ amount) < group + in.width ? lane ^ amount : lane;
  }
  return lane;
}

void do_shuffle(const WarpCall& call) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!call.has(lane)) continue;
    const auto& in = *static_cast<const ShuffleIn*>(call.in[lane]);
    const unsigned source = source_of(lane, in);
    if (!call.has(source)) {
      fault(FaultKind::inactive_lane,
            std::string(call.name) + ": lane " + std::to_string(lane) + " reads from lane " + std::to_string(source) +
                ", which takes no part (mask " + mask_text(call.mask) + ", present " + mask_text(call.present) + ")",
            call.site[lane]);
    }
    const auto* from = static_cast<const unsigned char*>(static_cast<const ShuffleIn*>(call.in[source])->value);
    std::memcpy(call.out[lane], from, in.bytes);
  }
}

const char* name_of(Shuffle kind) {
  switch (kind) {
    case Shuffle::index:
      return "__shfl_sync";
    case Shuffle::up:
      return "__shfl_up_sync";
    case Shuffle::down:
      return "__shfl_down_sync";
    case Shuffle::butterfly:
      return "__shfl_xor_sync";
  }
  return "";
}

/// Who voted yes, and who was there.
struct Votes {
  unsigned yes = 0;
  unsigned present = 0;
};

void do_vote(const WarpCall& call) {
  unsigned yes = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (call.has(lane) && *static_cast<const int*>(call.in[lane]) != 0) yes |= 1U << lane;
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (call.has(lane)) *static_cast<Votes*>(call.out[lane]) = {yes, call.present};
  }
}

Votes vote(const char* name, unsigned mask, int predicate, const Site& site) {
  Votes votes;
  warp_call(name, mask, &predicate, &votes, do_vote, site);
  return votes;
}

template <typename T>
T combined(Reduce kind, T a, T b) {
  switch (kind) {
    case Reduce::add:
      return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));  // wraps around, as the device does
    case Reduce::min:
      return std::min(a, b);
    case Reduce::max:
      return std::max(a, b);
    case Reduce::bit_and:
      return a & b;
    case Reduce::bit_or:
      return a | b;
    case Reduce::bit_xor:
      return a ^ b;
  }
  return a;
}

template <typename T, Reduce kind>
void do_reduce(const WarpCall& call) {
  bool is_first = true;
  T total{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!call.has(lane)) continue;
    const T value = *static_cast<const T*>(call.in[lane]);
    total = is_first ? value : combined(kind, total, value);
    is_first = false;
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (call.has(lane)) *static_cast<T*>(call.out[lane]) = total;
  }
}

template <typename T>
T reduced(Reduce kind, unsigned mask, T value, const Site& site) {
  struct Entry {
    const char* name;
    WarpFunction function;
  };
  static constexpr Entry kEntries[] = {
      {"__reduce_add_sync", do_reduce<T, Reduce::add>},   {"__reduce_min_sync", do_reduce<T, Reduce::min>},
      {"__reduce_max_sync", do_reduce<T, Reduce::max>},   {"__reduce_and_sync", do_reduce<T, Reduce::bit_and>},
      {"__reduce_or_sync", do_reduce<T, Reduce::bit_or>}, {"__reduce_xor_sync", do_reduce<T, Reduce::bit_xor>},
  };
  const Entry& entry = kEntries[static_cast<int>(kind)];
  T result{};
  warp_call(entry.name, mask, &value, &result, entry.function, site);
  return result;
}

}  // namespace

void shuffle(Shuffle kind, unsigned mask, const void* value, void* result, std::size_t bytes, int amount, int width,
             const Site& site) {
  if (width < 1 || width > static_cast<int>(kWarpSize) || (width & (width - 1)) != 0) {
    fault(FaultKind::mask,
          std::string(name_of(kind)) + ": a width of " + std::to_string(width) + ", which is no power of two up to 32",
          site);
  }
  const ShuffleIn in{kind, value, bytes, amount, static_cast<unsigned>(width)};
  warp_call(name_of(kind), mask, &in, result, do_shuffle, site);
}

unsigned reduce_unsigned(Reduce kind, unsigned mask, unsigned value, const Site& site) {
  return reduced(kind, mask, value, site);
}
int reduce_int(Reduce kind, unsigned mask, int value, const Site& site) { return reduced(kind, mask, value, site); }

}  // namespace kvarium::cuda::emulator

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA's own names.
namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

unsigned __ballot_sync(unsigned mask, int predicate, emulator::Site site) {
  return emulator::vote("__ballot_sync", mask, predicate, site).yes;
}
int __any_sync(unsigned mask, int predicate, emulator::Site site) {
  return emulator::vote("__any_sync", mask, predicate, site).yes != 0 ? 1 : 0;
}
int __all_sync(unsigned mask, int predicate, emulator::Site site) {
  const emulator::Votes votes = emulator::vote("__all_sync", mask, predicate, site);
  return votes.yes == votes.present ? 1 : 0;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
