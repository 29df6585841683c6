#include "core/speculation/residual.h"

#include <algorithm>
#include <cstddef>

#include "core/error.h"

namespace kvarium {
namespace {

std::vector<double> what_is_left(std::span<const double> p, std::span<const double> q) {
  if (p.size() != q.size()) throw MisuseError("target and draft have vocabularies of different sizes");
  std::vector<double> left(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(q[i] >= 0 && q[i] <= 1)) throw MisuseError("a draft's probability is not between 0 and 1");
    left[i] = std::max(p[i] - q[i], 0.0);
  }
  return left;
}

double sum(const std::vector<double>& numbers) {
  double total = 0;
  for (const double number : numbers) total += number;
  return total;
}

}  // namespace

double rejection_probability(std::span<const double> p, std::span<const double> q) { return sum(what_is_left(p, q)); }

std::vector<double> residual(std::span<const double> p, std::span<const double> q) {
  std::vector<double> left = what_is_left(p, q);
  const double total = sum(left);
  if (total == 0) return {p.begin(), p.end()};
  for (double& probability : left) probability /= total;
  return left;
}

}  // namespace kvarium
