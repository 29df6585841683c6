// kvarium eval: what a model knows, by a set of texts that no training saw.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/evaluation/held_out.h"
#include "cpu_reference/evaluation/held_out_tokens.h"
#include "cpu_reference/evaluation/speakers.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/proposer_setup.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/eval_report.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/model_flags.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/progress_line.h"

namespace kvarium {
namespace {

struct Options {
  ModelFlags model;
  std::string draft;  ///< empty: no acceptance
  std::string set;    ///< empty: the shipped one
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  std::string cache = "paged";
  bool json = false;
};

constexpr std::uint32_t kBlockSize = 16;  ///< tokens; as the engine's default

std::optional<cpu::HeldOutSet> read_set(const std::string& path, std::size_t limit, const CancelToken& cancel) {
  ProgressLine progress(std::string(tr("reading")));
  return cpu::read_held_out_file(path, limit, progress.on_progress(), cancel);
}

std::unique_ptr<cpu::Speaker> speaker_of(const ModelChoice& choice, const std::string& cache, std::uint32_t longest) {
  if (cache == "none") return cpu::uncached_speaker(choice.model);
  if (cache == "contiguous") return cpu::contiguous_speaker(choice.model, longest);
  return cpu::paged_speaker(std::make_unique<cpu::CpuRunner>(choice.model), longest, kBlockSize);
}

/// One measurement after the other, each with its bar. Each returns false when cancelled.
class Evaluation {
 public:
  Evaluation(const Options& options, const ModelChoice& choice, cpu::HeldOutTokens texts, const CancelToken& cancel)
      : options_(options),
        choice_(choice),
        texts_(std::move(texts)),
        cancel_(cancel),
        speaker_(speaker_of(choice, options.cache, texts_.longest)) {}

  bool measure(EvalReport& report) {
    return foresee(report) && recite(tr("recall"), texts_.recalls, report.recall) &&
           recite(tr("repeat"), texts_.lists, report.lists);
  }

  bool accept(const ModelChoice& draft, EvalReport& report) {
    const std::uint32_t context = draft.model->config.shape.context;
    std::vector<std::vector<TokenId>> stories;
    for (const auto& story : texts_.stories) {
      if (story.size() <= context) stories.push_back(story);
    }
    report.too_long_for_draft = texts_.stories.size() - stories.size();
    if (stories.empty()) {
      throw InputError(std::string(tr("--draft needs stories that fit into its context: there is none in the set")));
    }
    const auto guesser = speaker_of(draft, options_.cache, std::min(texts_.longest, context));
    ProgressLine progress(std::string(tr("acceptance")));
    report.acceptance = cpu::measure_acceptance(*speaker_, *guesser, stories, choice_.tokenizer->end_tokens(),
                                                progress.on_progress(), cancel_);
    return report.acceptance.has_value();
  }

 private:
  bool foresee(EvalReport& report) {
    if (texts_.stories.empty()) return true;
    ProgressLine progress(std::string(tr("perplexity")));
    report.surprise = cpu::measure_surprise(*speaker_, texts_.stories, progress.on_progress(), cancel_);
    return report.surprise.has_value();
  }

  bool recite(std::string_view doing, const std::vector<cpu::Recitation>& recitations,
              std::vector<cpu::RecitedGroup>& found) {
    ProgressLine progress{std::string(doing)};
    auto groups = cpu::measure_recitation(*speaker_, recitations, progress.on_progress(), cancel_);
    if (!groups) return false;
    found = *std::move(groups);
    return true;
  }

  const Options& options_;
  const ModelChoice& choice_;
  cpu::HeldOutTokens texts_;
  const CancelToken& cancel_;
  std::unique_ptr<cpu::Speaker> speaker_;
};

int run(const Options& options) {
  const CancelToken& cancel = cancelled_by_interrupt();
  EvalReport report;
  report.set = options.set.empty() ? cpu::shipped_held_out().string() : options.set;
  report.cache = options.cache;
  const std::optional<cpu::HeldOutSet> set = read_set(report.set, options.limit, cancel);
  if (!set) return kStopped;
  const std::optional<ModelChoice> choice = open_flagged_model(options.model, cancel);
  if (!choice) return kStopped;
  std::optional<ModelChoice> draft;
  if (!options.draft.empty()) {
    draft = open_flagged_model({options.draft, ""}, cancel);
    if (!draft) return kStopped;
    expect_same_vocabulary(*choice, *draft);
    report.draft = draft->model->config.shape.name;
  }
  report.model = choice->model->config.shape.name;
  report.context = choice->model->config.shape.context;
  cpu::HeldOutTokens texts = cpu::encode(*set, *choice->tokenizer, report.context);
  report.texts = texts.size();
  report.too_long = texts.too_long;
  if (texts.size() == 0) {
    throw InputError(
        tr_format("held-out set {}: all {} texts are longer than the context of {} tokens: give shorter "
                  "ones with --set",
                  report.set, texts.too_long, report.context));
  }
  print_model_facts(*choice);
  const auto started = std::chrono::steady_clock::now();
  Evaluation evaluation(options, *choice, std::move(texts), cancel);
  if (!evaluation.measure(report)) return kStopped;
  if (draft && !evaluation.accept(*draft, report)) return kStopped;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  fmt::print("{}", options.json ? json(report) : table(report));
  return kDone;
}

}  // namespace

Command eval_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("eval", std::string(tr("Measure what a model knows, and how sure that is")));
  flags->footer(std::string(
      tr("Perplexity of stories; codes recalled over a distance; lists repeated; with --draft, how many of\n"
         "its guesses the model accepts. Each with counts and 95 % intervals. Figures of two models can be\n"
         "compared when both have the same tokenizer.\n"
         "Example: kvarium eval --limit 20\n"
         "Example: kvarium eval --model model.gguf --draft small.gguf --cache contiguous --json")));
  const auto options = std::make_shared<Options>();
  add_model_flags(*flags, options->model);
  flags->add_option("--draft", options->draft,
                    std::string(tr("a smaller model with the same tokenizer, whose guesses are counted")));
  flags->add_option("--set", options->set, std::string(tr("texts as JSON lines; none: those that come with Kvarium")));
  flags
      ->add_option("--limit", options->limit,
                   std::string(tr("the first so many stories, and tasks of each distance or length")))
      ->check(whole_number(1, UINT32_MAX));
  flags->add_option("--cache", options->cache, std::string(tr("what happens to K and V")))
      ->check(CLI::IsMember({"none", "contiguous", "paged"}))
      ->capture_default_str();
  flags->add_flag("--json", options->json, std::string(tr("print JSON instead of a table")));
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
