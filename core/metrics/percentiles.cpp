#include "core/metrics/percentiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kvarium {

Percentiles percentiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
  };
  return {at(.5), at(.9), at(.99)};
}

}  // namespace kvarium
