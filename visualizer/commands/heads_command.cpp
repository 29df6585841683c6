// kvarium heads: what each attention head of a model does, measured.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/evaluation/head_scores.h"
#include "cpu_reference/evaluation/held_out.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/model_flags.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/progress_line.h"
#include "visualizer/commands/text_file.h"

namespace kvarium {
namespace {

struct Options {
  ModelFlags model;
  std::string text;  ///< empty: stories of the shipped held-out set
  std::size_t stories = 20;
  std::uint32_t repeated = 64;
  std::uint64_t seed = 7;
};

constexpr double kClearly = 0.2;  ///< the share from which on a head is named after a pattern

/// Of each text as much as the model can read.
std::optional<std::vector<std::vector<TokenId>>> read_texts(const Options& options, const ModelChoice& choice,
                                                            const CancelToken& cancel) {
  std::vector<std::string> texts;
  if (!options.text.empty()) {
    texts.push_back(read_text_file(options.text));
  } else {
    auto set = cpu::read_held_out_file(cpu::shipped_held_out().string(), options.stories, {}, cancel);
    if (!set) return std::nullopt;
    texts = std::move(set->stories);
  }
  std::vector<std::vector<TokenId>> tokens;
  for (const std::string& text : texts) {
    tokens.push_back(choice.tokenizer->encode(text));
    tokens.back().resize(std::min<std::size_t>(tokens.back().size(), choice.model->config.shape.context));
  }
  return tokens;
}

std::string pattern(const cpu::HeadScore& score) {
  if (score.induction >= kClearly) return std::string(tr("induction"));
  if (score.previous >= kClearly && score.previous >= score.sink) return std::string(tr("previous token"));
  if (score.sink >= kClearly) return std::string(tr("sink"));
  return "";
}

int run(const Options& options) {
  const CancelToken& cancel = cancelled_by_interrupt();
  const std::optional<ModelChoice> choice = open_flagged_model(options.model, cancel);
  if (!choice) return kStopped;
  const auto texts = read_texts(options, *choice, cancel);
  if (!texts) return kStopped;
  std::optional<std::vector<cpu::HeadScore>> scores;
  {
    ProgressLine progress(std::string(tr("measuring")));
    scores = cpu::head_scores(*choice->model, *texts, options.repeated, options.seed, progress.on_progress(), cancel);
  }
  if (!scores) return kStopped;
  print_model_facts(*choice);
  fmt::print("{}", tr_format("{:>5} {:>5} {:>15} {:>7} {:>10}  pattern (from 20% on)\n", "layer", "head",
                             "previous token", "sink", "induction"));
  for (const cpu::HeadScore& score : *scores) {
    const std::string line = fmt::format("{:>5} {:>5} {:>14.1f}% {:>6.1f}% {:>9.1f}%  {}", score.layer, score.head,
                                         100 * score.previous, 100 * score.sink, 100 * score.induction, pattern(score));
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
  fmt::print(stderr, "{}",
             tr_format("mean shares of attention over {} texts; induction over {} random tokens written twice\n",
                       texts->size(), options.repeated));
  return kDone;
}

}  // namespace

Command heads_command(CLI::App& program) {
  CLI::App* flags =
      program.add_subcommand("heads", std::string(tr("What each attention head of a model does, measured")));
  flags->footer(std::string(
      tr("previous token: the share of a head's attention on the token just before. sink: on the first token of the\n"
         "text. induction: in a random sequence written twice, on the token that came next the first time.\n"
         "Example: kvarium heads")));
  const auto options = std::make_shared<Options>();
  add_model_flags(*flags, options->model);
  flags->add_option("--text", options->text, std::string(tr("a text file; none: stories of the held-out set")));
  flags->add_option("--stories", options->stories, std::string(tr("how many stories of the held-out set")))
      ->check(whole_number(1, 10000))
      ->capture_default_str();
  flags->add_option("--repeat", options->repeated, std::string(tr("length of the random sequence, in tokens")))
      ->check(whole_number(1, 4096))
      ->capture_default_str();
  flags->add_option("--seed", options->seed, std::string(tr("of the random sequence")))
      ->check(whole_number(0, UINT64_MAX))
      ->capture_default_str();
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
