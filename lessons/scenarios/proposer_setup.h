#pragma once
// From a name to a proposer with all that it needs: the same for scenarios and commands.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/engine.h"
#include "core/speculation/medusa.h"
#include "core/speculation/ngram.h"
#include "core/speculation/oracle.h"
#include "cpu_reference/cpu_runner.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

/// Who guesses. Each member is kept alive for `proposer`.
struct ProposerSetup {
  std::unique_ptr<cpu::CpuRunner> runner;  ///< of a draft model
  std::unique_ptr<MedusaHeads> heads;
  std::unique_ptr<Proposer> proposer;
};

struct ProposerChoice {
  std::string kind;         ///< "ngram", "draft", "medusa", "medusa-tree" or "oracle"
  std::string draft;        ///< a model's name or file; empty: kDefaultDraft
  std::string medusa_path;  ///< empty: medusa.safetensors beside tales-target
  /// How many drafts of a round the oracle gets right.
  OracleProposer::RightDrafts right = {};
  NgramOptions ngram = {};
};

/// The draft model when none is named.
inline constexpr std::string_view kDefaultDraft = "tales-draft";
/// Guesses of each Medusa head that stand in a tree.
inline constexpr std::uint32_t kMedusaRanks = 3;
/// How likely each guess of the oracle is right, where nothing else is said.
inline constexpr double kOracleAcceptance = 0.8;

/// `requests`: those that will be served; the oracle hears their answers first. The draft model gets a pool like the
/// target's. InputError for a kind that there is not, models that do not belong together, files that cannot be read, or
/// an oracle where a request samples. Cancelled: the oracle knows what it has heard so far.
ProposerSetup make_proposer(const ProposerChoice& choice, const ModelChoice& target, const EngineConfig& engine,
                            const std::vector<RequestSpec>& requests, const CancelToken& cancel);

/// As make_proposer() for what the parameters say, which `engine` guesses with then; "none" changes nothing.
ProposerSetup speculate(const ScenarioParams& params, const ModelChoice& target, EngineConfig& engine,
                        const std::vector<RequestSpec>& requests, const CancelToken& cancel);

/// InputError unless both mean the same piece of text by each token: a guess is a token.
void expect_same_vocabulary(const ModelChoice& target, const ModelChoice& draft);

}  // namespace kvarium
