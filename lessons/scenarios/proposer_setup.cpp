#include "lessons/scenarios/proposer_setup.h"

#include <algorithm>
#include <utility>

#include "core/blocks/blocks_for.h"
#include "core/error.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/speculation/draft_model.h"
#include "core/speculation/ngram.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/speculation/medusa_heads.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium {
namespace {

/// Prompt and answer of each request, served one after another without drafts.
std::vector<std::vector<TokenId>> whole_texts(const ModelChoice& target, const std::vector<RequestSpec>& requests,
                                              const CancelToken& cancel) {
  constexpr std::uint32_t kBlockSize = 16;
  const ModelShape& shape = target.model->config.shape;
  EngineConfig config;
  config.hand_out_order = ascending_order(static_cast<std::uint32_t>(blocks_for(shape.context, kBlockSize)));
  cpu::CpuRunner runner(target.model);
  const ContinuousScheduler scheduler;
  NullSink nobody;
  Engine engine(config, runner, scheduler, *target.tokenizer, nobody);
  std::vector<std::vector<TokenId>> texts;
  for (RequestSpec request : requests) {
    if (request.sampling.temperature > 0) {
      throw InputError(std::string(tr("the oracle knows only answers of temperature 0")));
    }
    request.candidates = 1;
    const RequestId id = engine.submit(std::move(request));
    while (!cancel.cancelled() && engine.step()) {
    }
    texts.push_back(engine.request(id).tokens);
  }
  return texts;
}

ProposerSetup with_draft_model(const std::string& named, const ModelChoice& target, const EngineConfig& engine) {
  const ModelChoice draft = choose_model(named.empty() ? std::string(kDefaultDraft) : named, "");
  expect_same_vocabulary(target, draft);
  ProposerSetup setup;
  setup.runner = std::make_unique<cpu::CpuRunner>(draft.model);
  setup.proposer = std::make_unique<DraftModel>(*setup.runner, static_cast<std::uint32_t>(engine.hand_out_order.size()),
                                                engine.block_size);
  return setup;
}

}  // namespace

void expect_same_vocabulary(const ModelChoice& target, const ModelChoice& draft) {
  const auto& pieces = target.tokenizer->pieces();
  const auto& others = draft.tokenizer->pieces();
  const auto same = [](const cpu::Piece& a, const cpu::Piece& b) { return a.bytes == b.bytes && a.kind == b.kind; };
  if (target.model->config.shape.vocab == draft.model->config.shape.vocab &&
      std::equal(pieces.begin(), pieces.end(), others.begin(), others.end(), same)) {
    return;
  }
  throw InputError(
      tr_format("--draft: {} has another vocabulary than {} ({} and {} tokens): give a draft with the same tokenizer",
                draft.model->config.shape.name, target.model->config.shape.name, others.size(), pieces.size()));
}

ProposerSetup make_proposer(const ProposerChoice& choice, const ModelChoice& target, const EngineConfig& engine,
                            const std::vector<RequestSpec>& requests, const CancelToken& cancel) {
  ProposerSetup setup;
  if (choice.kind == "ngram") {
    setup.proposer = std::make_unique<NgramProposer>(choice.ngram);
  } else if (choice.kind == "draft") {
    return with_draft_model(choice.draft, target, engine);
  } else if (choice.kind == "medusa" || choice.kind == "medusa-tree") {
    if (choice.medusa_path.empty() && target.model->config.shape.name != kDefaultModel) {
      throw InputError(
          tr_format("the heads that come with Kvarium guess for {} alone, not for {}: take another proposer",
                    kDefaultModel, target.model->config.shape.name));
    }
    const std::filesystem::path path = choice.medusa_path.empty()
                                           ? cpu::shipped_model_path(kDefaultModel) / "medusa.safetensors"
                                           : std::filesystem::path(choice.medusa_path);
    setup.heads = cpu::open_medusa_heads(target.model, path);
    const MedusaOptions options{choice.kind == "medusa" ? 1 : kMedusaRanks};
    setup.proposer = std::make_unique<MedusaProposer>(*setup.heads, options);
  } else if (choice.kind == "oracle") {
    const std::uint32_t vocab = target.model->config.shape.vocab;
    setup.proposer = std::make_unique<OracleProposer>(whole_texts(target, requests, cancel), vocab, choice.right);
  } else {
    throw InputError(tr_format("there is no proposer \"{}\"", choice.kind));
  }
  return setup;
}

ProposerSetup speculate(const ScenarioParams& params, const ModelChoice& target, EngineConfig& engine,
                        const std::vector<RequestSpec>& requests, const CancelToken& cancel) {
  if (params.proposer == "none") return {};
  ProposerSetup setup =
      make_proposer({params.proposer, {}, {}, always_right(params.accepted)}, target, engine, requests, cancel);
  engine.speculation.proposer = setup.proposer.get();
  return setup;
}

}  // namespace kvarium
