#pragma once
// How long one step of a server takes by its arithmetic and its memory traffic at the GPU's peaks, whichever is longer
// (the roofline; Williams et al. 2009). Real servers reach less, so all times are lower bounds.

#include <cstdint>

#include "core/cost/hardware.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/roofline.h"
#include "core/model_shape.h"

namespace kvarium {

/// A model on one GPU.
struct ServerProfile {
  ModelShape model;
  double parameters = 0;        ///< all that the memory holds
  double embedding = 0;         ///< of these, in tables that are only looked up: neither multiplied nor read
  double head = 0;              ///< of these, multiplied only with the last token of a sequence
  double bytes_per_number = 0;  ///< of weights, K and V
  HardwareProfile gpu;
  std::uint32_t tokens_per_step = 0;  ///< budget: one for each answer under way, the rest for prompts
  Link host{"", 0};                   ///< to the memory of the host
};

/// Llama 3.1 8B in BF16 (8.03 billion parameters) on an H100 SXM with 80 GB.
ServerProfile default_server();

/// Bytes of one token's K and V.
inline double kv_bytes_per_token(const ServerProfile& server) {
  return static_cast<double>(kv_elements_per_token(server.model)) * server.bytes_per_number;
}
/// Blocks of `block_size` tokens that fit beside the weights when a tenth of the memory is left for all else, as vLLM
/// leaves it.
std::uint64_t blocks_beside_weights(const ServerProfile& server, std::uint32_t block_size);

/// What the tokens of one step make the GPU do. `server` must outlive it.
class StepCost {
 public:
  explicit StepCost(const ServerProfile& server)
      : server_(server),
        prefill_look_flops_(prefill_look_flops(server.model)),
        decode_look_flops_(decode_look_flops(server.model)),
        kv_bytes_(kv_bytes_per_token(server)) {}

  /// `tokens` at positions first, first + 1, ... of one sequence: each is multiplied with all weights, the last one
  /// with the head too, and looks at all tokens up to itself; K and V are read once. The counts are those of
  /// roofline.h.
  void add_prompt(double first, double tokens) {
    const double looked_at = tokens * first + tokens * (tokens + 1) / 2;
    const double look_flops = tokens > 1 ? prefill_look_flops_ : decode_look_flops_;
    flops_ += 2 * (body() * tokens + server_.head) + look_flops * looked_at;
    bytes_ += kv_bytes_ * (first + tokens);
  }
  /// One token for each of `answers`, which look at `contexts` tokens together.
  void add_answers(double answers, double contexts) {
    flops_ += 2 * (body() + server_.head) * answers + decode_look_flops_ * contexts;
    bytes_ += kv_bytes_ * contexts;
  }

  double flops() const { return flops_; }
  /// The weights are read once a step, whatever it computes.
  double bytes() const { return bytes_ + (body() + server_.head) * server_.bytes_per_number; }
  double seconds() const { return kvarium::seconds(server_.gpu, {flops_, bytes()}); }

 private:
  /// Parameters that every token is multiplied with.
  double body() const { return server_.parameters - server_.embedding - server_.head; }

  const ServerProfile& server_;
  double prefill_look_flops_, decode_look_flops_;
  double kv_bytes_;  // of one token
  double flops_ = 0;
  double bytes_ = 0;
};

}  // namespace kvarium
