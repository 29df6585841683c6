// kvarium speculate: what guessing ahead is worth on this machine, by the clock and by theory.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/speculation/theory.h"
#include "core/words/words.h"
#include "cpu_reference/evaluation/held_out.h"
#include "cpu_reference/evaluation/held_out_tokens.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/proposer_setup.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/model_flags.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/progress_line.h"
#include "visualizer/commands/speculation_speed.h"

namespace kvarium {
namespace {

struct Options {
  ModelFlags model;
  std::vector<std::string> proposers{"ngram", "draft"};
  std::vector<std::uint32_t> lengths{1, 2, 3, 4, 5, 6, 8};
  std::string draft;
  std::string medusa;
  std::string set;  ///< empty: the shipped one
  std::uint32_t limit = 20;
  std::uint32_t repeats = 3;
};

constexpr std::uint32_t kLongest = 16;  ///< of the lengths that theory chooses from

/// The first half of each story is the prompt, and as many tokens are asked for as the second half has.
std::vector<RequestSpec> requests_of(const std::vector<std::vector<TokenId>>& stories, const ModelChoice& choice) {
  std::vector<RequestSpec> requests;
  for (const std::vector<TokenId>& story : stories) {
    if (story.size() < 8) continue;
    RequestSpec request;
    const auto half = static_cast<std::ptrdiff_t>((story.size() + 1) / 2);
    request.prompt.assign(story.begin(), story.begin() + half);
    request.max_new_tokens = static_cast<std::uint32_t>(story.size()) - static_cast<std::uint32_t>(half);
    request.end_tokens = choice.tokenizer->end_tokens();
    requests.push_back(std::move(request));
  }
  if (requests.empty()) throw InputError(std::string(tr("there is no story of at least 8 tokens in the set")));
  return requests;
}

void print_row(const DecodingTime& plain, const DecodingTime& guessed, const std::string& name, std::uint32_t k) {
  const double step = plain.seconds_a_pass();
  const double c = guessed.drafted == 0 ? 0 : guessed.proposing / static_cast<double>(guessed.drafted) / step;
  const double alpha = guessed.acceptance();
  const bool is_tree = name == "medusa-tree";  // the formulas are of chains
  const double modelled = is_tree ? guessed.tokens_a_pass() / (1 + c * k) : expected_speedup(alpha, k, c);
  const std::string best = is_tree ? "-" : std::to_string(best_draft_length(alpha, c, kLongest));
  fmt::print("{}", tr_format("{:>11} {:>3} {:>8.1f} % {:>10.2f} {:>7.3f} {:>7.2f} {:>9.2f} {:>9.2f} {:>7}\n", name, k,
                             100 * alpha, guessed.tokens_a_pass(), c, guessed.seconds_a_pass() / step, modelled,
                             plain.seconds / guessed.seconds, best));
}

int measure(const Options& options, const ModelChoice& choice, const std::vector<RequestSpec>& requests,
            const CancelToken& cancel) {
  EngineConfig pool;  // of a draft model: as large as its context may need
  pool.hand_out_order = ascending_order(choice.model->config.shape.context / pool.block_size + 1);
  std::vector<ProposerSetup> setups;
  std::vector<Guessing> ways{{}};
  for (const std::string& kind : options.proposers) {
    const ProposerChoice named{kind, options.draft, options.medusa, right_with_probability(kOracleAcceptance, 7)};
    setups.push_back(make_proposer(named, choice, pool, requests, cancel));
    for (const std::uint32_t k : options.lengths) ways.push_back({setups.back().proposer.get(), {.most = k}});
  }
  ProgressLine progress(std::string(tr("decoding")));
  const std::vector<DecodingTime> times =
      measure_decoding(choice, requests, ways, options.repeats, progress.on_progress(), cancel);
  if (times.empty()) return kStopped;
  const DecodingTime& plain = times.front();
  fmt::print("{}",
             tr_format("{}: {} answers, {} tokens, plain decoding {:.2f} ms a token\n", choice.model->config.shape.name,
                       requests.size(), plain.tokens, 1e3 * plain.seconds / static_cast<double>(plain.tokens)));
  fmt::print(
      "{}", tr_format("{:>11} {:>3} {:>10} {:>10} {:>7} {:>7} {:>9} {:>9} {:>7}\n", tr("proposer"), "k", tr("accepted"),
                      tr("tokens"), "c", tr("pass"), tr("modelled"), tr("measured"), tr("best k")));
  const auto name_of = [&](std::size_t way) { return options.proposers[(way - 1) / options.lengths.size()]; };
  std::size_t fastest = 1;
  for (std::size_t way = 1; way < ways.size(); ++way) {
    print_row(plain, times[way], name_of(way), ways[way].length.most);
    if (times[way].seconds < times[fastest].seconds) fastest = way;
  }
  fmt::print("{}", tr_format("The best: {} with k = {}, {:.2f} times as fast as plain decoding.\n", name_of(fastest),
                             ways[fastest].length.most, plain.seconds / times[fastest].seconds));
  fmt::print("{}", tr("tokens: a pass. c: one guess, pass: a pass over k + 1 tokens, both in passes over one token. "
                      "Modelled: by theory,\n"
                      "where every pass costs the same; of a tree with the tokens that were counted. Measured: by the "
                      "clock, with a draft's pass over the prompt.\n"
                      "Every answer was the same as without guessing.\n"));
  return kDone;
}

/// Options of proposers that are not asked for mean nothing.
void check_flags(const Options& options) {
  const auto asked = [&](const char* kind) {
    return std::find(options.proposers.begin(), options.proposers.end(), kind) != options.proposers.end();
  };
  if (!options.draft.empty() && !asked("draft")) throw InputError(std::string(tr("--draft needs --proposer draft")));
  if (!options.medusa.empty() && !asked("medusa") && !asked("medusa-tree")) {
    throw InputError(std::string(tr("--medusa needs --proposer medusa or medusa-tree")));
  }
}

int run(const Options& options) {
  check_flags(options);
  const CancelToken& cancel = cancelled_by_interrupt();
  const std::string set_path = options.set.empty() ? cpu::shipped_held_out().string() : options.set;
  const std::optional<cpu::HeldOutSet> set = cpu::read_held_out_file(set_path, options.limit, {}, cancel);
  if (!set) return kStopped;
  const std::optional<ModelChoice> choice = open_flagged_model(options.model, cancel);
  if (!choice) return kStopped;
  const cpu::HeldOutTokens texts = cpu::encode(*set, *choice->tokenizer, choice->model->config.shape.context);
  return measure(options, *choice, requests_of(texts.stories, *choice), cancel);
}

}  // namespace

Command speculate_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("speculate", std::string(tr("Measure how much faster guessing ahead is")));
  flags->footer(
      std::string(tr("The second halves of stories are written with and without guessing, one at a time, and timed.\n"
                     "Example: kvarium speculate --limit 10 --proposer ngram --draft-length 2 4\n"
                     "Example: kvarium speculate --proposer draft --draft tales-draft")));
  const auto options = std::make_shared<Options>();
  add_model_flags(*flags, options->model);
  flags->add_option("--proposer", options->proposers, std::string(tr("who guesses; may be given again")))
      ->check(CLI::IsMember(values_of("proposer")))
      ->capture_default_str();
  flags->add_option("--draft-length", options->lengths, std::string(tr("tokens that are guessed a round; several")))
      ->check(whole_number(1, kMostDrafts))
      ->capture_default_str();
  flags->add_option("--draft", options->draft, std::string(tr("the small model that guesses; else tales-draft")));
  flags->add_option("--medusa", options->medusa, std::string(tr("the heads' file; else the one beside tales-target")));
  flags->add_option("--set", options->set, std::string(tr("texts as JSON lines; none: those that come with Kvarium")));
  flags->add_option("--limit", options->limit, std::string(tr("the first so many stories")))
      ->check(whole_number(1, UINT32_MAX))
      ->capture_default_str();
  flags->add_option("--repeats", options->repeats, std::string(tr("runs of each, of which the fastest counts")))
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
