#pragma once
// One forward pass: the steps of a layer, over the tokens of all sequences at once.

#include <span>
#include <vector>

#include "core/probe.h"
#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"

namespace kvarium::cpu {

class Pass {
 public:
  /// Sequences without a cache attend among their own tokens, from position 0 on. The input must have been checked.
  Pass(const Model& model, const std::vector<double>& rope_frequencies, std::span<const SequenceInput> batch,
       Workspace& workspace, std::span<Work> work, StepProbe* probe);

  /// Computes everything up to the logits, which are left in the workspace, and adds to the work. InputError, with the
  /// work as it was, when a logit is not finite. The caches' tokens are advanced by the caller.
  void run();

 private:
  void embed();
  void attention(std::uint32_t l);
  void project(const LayerWeights& layer);
  void attend(const SequenceInput& input, Index row, std::size_t sequence, std::uint32_t l);
  // Latent attention: latent_pass.cpp.
  void latent_attention(std::uint32_t l);
  void project_latent(const LayerWeights& layer);
  void attend_latent(const SequenceInput& input, Index row, std::size_t sequence, std::uint32_t l);
  void feed_forward(const LayerWeights& layer);
  void logits();
  void add_up_work();

  void normalise(const Matrix& x, const Vector& weight, const Vector& bias, Matrix& y);
  void linear_with_bias(const Matrix& x, const WeightMatrix& weight, const Vector& bias, Matrix& y);
  void report(const SequenceInput& input, const Matrix& all_queries, Index row, const Heads& heads,
              std::size_t sequence);

  const ModelConfig& config_;
  const Weights& weights_;
  const std::vector<double>& rope_frequencies_;
  std::span<const SequenceInput> batch_;
  Workspace& space_;
  std::span<Work> work_;
  StepProbe* probe_;
  Work shared_;  ///< done for all tokens at once
  Work head_;    ///< done for all rows of logits at once
};

}  // namespace kvarium::cpu
