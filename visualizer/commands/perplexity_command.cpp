// kvarium perplexity: how well a model foresees a text.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "core/cost/units.h"
#include "core/words/words.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/perplexity.h"
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
  std::string text;
  ModelFlags model;
  std::uint32_t window = 512;
};

/// The logits of a window are computed together and held twice, 4 bytes each: with a vocabulary of 128 Ki tokens, 8 GiB
/// for a window of this length.
constexpr std::uint32_t kLongestWindow = 8192;

int run(const Options& options) {
  const CancelToken& cancel = cancelled_by_interrupt();
  const std::string text = read_text_file(options.text);
  const std::optional<ModelChoice> choice = open_flagged_model(options.model, cancel);
  if (!choice) return kStopped;
  print_model_facts(*choice);
  const std::vector<TokenId> tokens = choice->tokenizer->encode(text);
  const std::uint32_t window = std::min(options.window, choice->model->config.shape.context);
  std::optional<cpu::TextSurprise> result;
  {
    ProgressLine progress(std::string(tr("predicting")));
    result = cpu::text_surprise(*choice->model, tokens, window, progress.on_progress(), cancel);
  }
  if (!result) return kStopped;
  fmt::print("{}", tr_format("perplexity {:.4f}: {} tokens predicted in windows of {}, {:.6f} nats a token\n",
                             result->perplexity(), with_commas(result->predicted), window, result->mean_surprise));
  return kDone;
}

}  // namespace

Command perplexity_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("perplexity", std::string(tr("Measure how well a model foresees a text")));
  flags->footer(std::string(tr("Example: kvarium perplexity story.txt --model model.gguf")));
  const auto options = std::make_shared<Options>();
  flags->add_option("text", options->text, std::string(tr("a text file")))->required();
  add_model_flags(*flags, options->model);
  flags
      ->add_option("--window", options->window,
                   std::string(tr("tokens after which the model starts anew, at most its context; memory for\n"
                                  "8 bytes x this x vocabulary is needed, and Ctrl+C waits for a window's end")))
      ->check(whole_number(2, kLongestWindow))
      ->capture_default_str();
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
