#pragma once
// How long work tells how far it is.

#include <cstdint>
#include <functional>

namespace kvarium {

struct Progress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: not known
};

using OnProgress = std::function<void(const Progress&)>;

}  // namespace kvarium
