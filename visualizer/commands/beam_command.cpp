// kvarium beam: the likeliest answers to a prompt, found side by side, and how much memory they share.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "core/beam/beam_search.h"
#include "core/blocks/blocks_for.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/units.h"
#include "core/error.h"
#include "core/token_text.h"
#include "core/words/words.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/scenario.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/memory_meter.h"
#include "visualizer/commands/model_flags.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/recording.h"

namespace kvarium {
namespace {

struct Options {
  ModelFlags model;
  std::string prompt;
  BeamParams beams;
  std::uint32_t block_size = 16;
  std::uint32_t num_blocks = 0;  ///< 0: enough for beams that share nothing
  std::string record;
};

constexpr std::uint32_t kMostBlocks = 1U << 20U;

std::uint32_t enough_blocks(const Options& options, std::size_t prompt_tokens) {
  const std::uint64_t longest = prompt_tokens + std::uint64_t{options.beams.max_new_tokens};
  const std::uint64_t each = blocks_for(longest, options.block_size);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostBlocks, each * options.beams.width));
}

std::string text_of(const BeamAnswer& answer, TokenId before, const cpu::Tokenizer& tokenizer) {
  std::string text;
  for (const TokenId token : answer.tokens) {
    text += tokenizer.piece(before, token);
    before = token;
  }
  return text;
}

void print_memory(const MemoryMeter& meter, std::uint64_t block_bytes) {
  const auto& [blocks, without] = meter.most_saved();
  fmt::print(stderr, "{}",
             tr_format("sharing: {} blocks held ({}), without sharing {} ({}): {:.1f} % less\n", blocks,
                       binary_size(blocks * block_bytes), without, binary_size(without * block_bytes),
                       meter.most_saved().saved_percent()));
  const CopyCounts& copies = meter.world().copies;
  fmt::print(stderr, "{}", tr_format("copy on write: {} blocks, {} tokens copied\n", copies.blocks, copies.tokens));
}

int run(Options options) {
  check_prompt(options.prompt);
  const CancelToken& cancel = cancelled_by_interrupt();
  const std::optional<ModelChoice> opened = open_flagged_model(options.model, cancel);
  if (!opened) return kStopped;
  const ModelChoice& choice = *opened;
  const std::vector<TokenId> prompt = choice.tokenizer->encode(options.prompt);
  if (options.num_blocks == 0) options.num_blocks = enough_blocks(options, prompt.size());
  options.beams.end_tokens = choice.tokenizer->end_tokens();
  Recording recording(options.record);
  MemoryMeter meter(recording);
  cpu::CpuRunner runner(choice.model);
  BlockPool pool(options.block_size, ascending_order(options.num_blocks), meter);
  BeamSearch search(prompt, options.beams, runner, pool, *choice.tokenizer, meter);
  print_model_facts(choice);
  while (!cancel.cancelled() && search.step()) {
  }
  const bool stopped = !search.ended();
  for (const BeamAnswer& answer : search.answers()) {
    fmt::print("{}",
               tr_format("score {:8.4f}, log probability {:9.4f}, {} tokens{}: {}{}\n", answer.score,
                         answer.log_probability, answer.tokens.size(), answer.finished ? "" : tr(", not finished"),
                         options.prompt, printable(text_of(answer, prompt.back(), *choice.tokenizer))));
  }
  if (stopped) search.abort();
  print_memory(meter, kv_bytes(choice.model->config.shape, options.block_size, ElementType::fp32));
  return stopped ? kStopped : kDone;
}

/// A length penalty that gives scores: CLI11 lets "nan" and "inf" pass as numbers.
CLI::Validator finite_number() {
  const auto complaint = [](const std::string& text) {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    if (is_number && number >= -10 && number <= 10) return std::string();
    return tr_format("\"{}\" is no number from -10 to 10", text);
  };
  return CLI::Validator(complaint, "");
}

}  // namespace

Command beam_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("beam", std::string(tr("Find the likeliest answers to a prompt")));
  flags->footer(std::string(tr("Example: kvarium beam --prompt \"Once there was\" --width 4 --tokens 24")));
  const auto options = std::make_shared<Options>();
  add_model_flags(*flags, options->model);
  flags->add_option("--prompt", options->prompt, std::string(tr("the text to go on from")))->required();
  flags->add_option("--tokens", options->beams.max_new_tokens, std::string(tr("how many tokens to write at most")))
      ->check(whole_number(1, UINT32_MAX))
      ->capture_default_str();
  flags->add_option("--width", options->beams.width, std::string(tr("beginnings that are followed side by side")))
      ->check(whole_number(1, 256))
      ->capture_default_str();
  flags
      ->add_option("--length-penalty", options->beams.length_penalty,
                   std::string(tr("0: likeliest in all, which are short; 1: likeliest a token")))
      ->check(finite_number())
      ->capture_default_str();
  flags->add_option("--block-size", options->block_size, std::string(tr("tokens a block")))
      ->check(whole_number(1, kMostBlocks))
      ->capture_default_str();
  flags->add_option("--blocks", options->num_blocks, std::string(tr("blocks of the pool; else as many as are needed")))
      ->check(whole_number(1, kMostBlocks));
  flags->add_option("--record", options->record,
                    std::string(tr("write what happens to this file: see kvarium replay")));
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
