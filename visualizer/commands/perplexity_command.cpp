// kvarium perplexity: how well a model foresees a text.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "core/cost/units.h"
#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/perplexity.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/model_flags.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/progress_line.h"

namespace kvarium {
namespace {

struct Options {
  std::string text;
  ModelFlags model;
  std::uint32_t window = 512;
};

constexpr std::uint64_t kLongestText = 1ULL << 28U;  ///< bytes

std::string whole_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const bool readable = file && std::filesystem::is_regular_file(path, error);
  if (!readable) throw InputError(tr_format("text file {}: it cannot be read: check the path", path));
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  if (error || bytes > kLongestText) {
    throw InputError(tr_format("text file {}: it has more than {} bytes: give a part of it", path, kLongestText));
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int run(const Options& options) {
  const CancelToken& cancel = cancelled_by_interrupt();
  const std::string text = whole_text(options.text);
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
                   std::string(tr("tokens after which the model starts anew; at most its context")))
      ->check(whole_number(2, 1U << 24U))
      ->capture_default_str();
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
