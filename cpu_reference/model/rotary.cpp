#include "cpu_reference/model/rotary.h"

#include <cmath>
#include <numbers>

namespace kvarium::cpu {
namespace {

double scaled(double frequency, const RopeScaling& scaling) {
  const double slow = frequency / double{scaling.factor};
  switch (scaling.kind) {
    case RopeScaling::Kind::none:
      return frequency;
    case RopeScaling::Kind::linear:
      return slow;
    case RopeScaling::Kind::llama3:
      break;
  }
  const double turns = scaling.original_context * frequency / (2.0 * std::numbers::pi);  // in the original context
  const double low = double{scaling.low_freq_factor}, high = double{scaling.high_freq_factor};
  if (turns > high) return frequency;
  if (turns < low) return slow;
  const double kept = (turns - low) / (high - low);
  return (1.0 - kept) * slow + kept * frequency;
}

}  // namespace

std::vector<double> rope_frequencies(const ModelConfig& config) {
  std::vector<double> frequencies;
  if (config.positions != Positions::rotary) return frequencies;
  const std::uint32_t width = config.rotated_width();
  for (std::uint32_t i = 0; i < width / 2; ++i) {
    double frequency = std::pow(double{config.rope_theta}, -2.0 * i / width);
    if (!config.rope_freq_factors.empty()) frequency /= double{config.rope_freq_factors[i]};
    frequencies.push_back(scaled(frequency, config.rope_scaling));
  }
  return frequencies;
}

}  // namespace kvarium::cpu
