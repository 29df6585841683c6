#pragma once
// The rotations of one model: its frequencies, scaled as it was trained for long contexts.

#include <vector>

#include "cpu_reference/model/config.h"

namespace kvarium::cpu {

/// [rotary_dim / 2] radians a position: theta^(-2i / rotary_dim), divided by the model's factors, then scaled:
///   linear: f / factor   (Chen et al. 2023)
///   llama3: f when its wavelength 2 pi / f is below original_context / high_freq_factor, f / factor when it is above
///           original_context / low_freq_factor, and a weighted mean of the two between   (Llama 3.1, reference code)
/// Empty for a model with learned positions. The config must have passed check().
std::vector<double> rope_frequencies(const ModelConfig& config);

}  // namespace kvarium::cpu
