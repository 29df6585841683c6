#pragma once
// Medusa heads on a model (Cai et al. 2024, equation 1): from the hidden state h behind the final norm, head k says
//
//   logits_k = W_head P_k (h + silu(W_k h + b_k))        silu(x) = x / (1 + exp(-x))
//
// with the model's own output projection W_head for all heads: the paper gives each one of its own, which P_k makes out
// of it with fewer numbers.

#include <filesystem>
#include <memory>
#include <vector>

#include "core/speculation/medusa.h"
#include "cpu_reference/loaders/tensor_file.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/weight_matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

struct Model;

class CpuMedusaHeads final : public MedusaHeads {
 public:
  /// "medusa.<k>.weight" [hidden][hidden], "medusa.<k>.bias" [hidden] and "medusa.<k>.projection" [hidden][hidden] for
  /// k = 0, 1, ... `where` names the file in errors. InputError for a file without heads, with anything else in it, or
  /// with heads for another hidden size.
  CpuMedusaHeads(std::shared_ptr<const Model> model, const TensorTable& tensors, const std::string& where);

  std::uint32_t num_heads() const override { return static_cast<std::uint32_t>(heads_.size()); }
  std::uint32_t hidden_size() const override;
  /// InputError for logits that are not finite numbers.
  std::vector<TokenId> guess(std::uint32_t head, std::span<const float> hidden, std::uint32_t ranks,
                             Work& work) const override;

 private:
  struct Head {
    WeightMatrix weight;      ///< [hidden][hidden]
    Vector bias;              ///< [hidden]
    WeightMatrix projection;  ///< [hidden][hidden]
  };

  std::shared_ptr<const Model> model_;
  std::vector<Head> heads_;
  std::vector<std::shared_ptr<const void>> memory_;  ///< what the weights point into
  mutable ThreadPool threads_;                       ///< a single thread: the products are small
};

/// The heads in a safetensors file. InputError as open_safetensors() and as the constructor.
std::unique_ptr<CpuMedusaHeads> open_medusa_heads(std::shared_ptr<const Model> model,
                                                  const std::filesystem::path& path);

}  // namespace kvarium::cpu
