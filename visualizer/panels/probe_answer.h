#pragma once
// What is known of a layer's insides for the request that is shown: it is computed on another thread and may not be
// there yet.

#include <cstdint>
#include <memory>
#include <string>

#include "visualizer/layout/layer_probe.h"

namespace kvarium::ui {

struct ProbeAnswer {
  /// no_model: the model that made the run is not at hand; working: some of the tokens are still to be computed.
  enum class State : std::uint8_t { no_model, working, ready, failed };
  State state = State::no_model;
  std::uint32_t done = 0, total = 0;                ///< tokens
  std::uint32_t left_out = 0;                       ///< last tokens that are more than is computed here
  std::shared_ptr<const layout::LayerProbe> probe;  ///< of the first `done` tokens at most; nullptr: nothing yet
  std::uint64_t version = 0;                        ///< changes with `probe`
  std::string error;                                ///< when failed
};

}  // namespace kvarium::ui
