#pragma once
// Beam search: the answers with the highest score, found by following the few best beginnings side by side. Beams share
// the K and V of what they have in common: they are forks, and only a last block that is not full is copied.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/beam/beam_scores.h"
#include "core/blocks/block_pool.h"
#include "core/blocks/block_table.h"
#include "core/ids.h"
#include "core/model_runner.h"
#include "core/token_text.h"
#include "core/trace/event_sink.h"

namespace kvarium {

struct BeamParams {
  std::uint32_t width = 4;  ///< beams that are followed
  std::uint32_t max_new_tokens = 16;
  double length_penalty = 1.0;  ///< see beam_score()
  std::vector<TokenId> end_tokens = {};
};

struct BeamAnswer {
  RequestId request{};
  std::vector<TokenId> tokens;  ///< generated, an end token included
  double log_probability = 0;   ///< of all these tokens after the prompt
  double score = 0;
  bool finished = false;  ///< with an end token, or at the longest allowed length
};

/// The first beam is request A; every further one is forked from another. A beam that has no place among the best any
/// more is aborted. The search ends when no beam that goes on could still beat the worst of `width` finished answers.
class BeamSearch {
 public:
  /// Makes the runner's cache of the pool's size. The others must outlive the search. InputError for an empty prompt, a
  /// width or length of 0, a token outside the vocabulary, an answer that does not fit into the context, or a pool too
  /// small for `width` answers of full length without any sharing.
  BeamSearch(std::vector<TokenId> prompt, BeamParams params, ModelRunner& runner, BlockPool& pool,
             const TokenText& token_text, EventSink& sink);
  ~BeamSearch();

  /// One forward pass over all beams. False, nothing done, when the search has ended.
  bool step();
  bool ended() const { return beams_.empty(); }
  /// The best answers so far, the highest score first, at most `width`; after the end all are finished.
  std::vector<BeamAnswer> answers() const;
  /// Aborts what is left.
  void abort();

 private:
  struct Beam {
    RequestId request{};
    std::vector<TokenId> tokens;  // prompt and answer
    double log_probability = 0;
    BlockTable table;
  };

  std::uint32_t longest() const { return prompt_tokens_ + params_.max_new_tokens; }
  void check_possible(const std::vector<TokenId>& prompt) const;
  std::vector<std::vector<double>> compute();
  std::vector<Continuation> choose(const std::vector<std::vector<double>>& next) const;
  void follow(const std::vector<Continuation>& chosen);
  std::unique_ptr<Beam> fork(const Beam& parent);
  void add_token(Beam& beam, const Continuation& with);
  void finish(Beam& beam, FinishReason reason);
  void drop(Beam& beam);
  BeamAnswer answer_of(const Beam& beam, bool finished) const;
  bool cannot_improve() const;
  void announce_name(TokenId token);

  BeamParams params_;
  std::uint32_t prompt_tokens_;
  ModelRunner& runner_;
  BlockPool& pool_;
  const TokenText& token_text_;
  EventSink& sink_;
  std::vector<std::unique_ptr<Beam>> beams_;  // that go on, the likeliest first
  std::vector<BeamAnswer> finished_;          // the highest score first, at most width
  std::vector<bool> named_;
  std::uint32_t num_requests_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace kvarium
