// kvarium generate: a prompt goes in, text comes out, and then how much work it was.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "core/cost/units.h"
#include "core/error.h"
#include "core/trace/trace_io.h"
#include "core/words/words.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/scenario.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/generation.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/numbers.h"

namespace kvarium {
namespace {

struct Options {
  std::string model;
  std::string tokenizer;
  std::string prompt;
  std::uint32_t tokens = 64;
  std::string cache = "paged";
  std::uint32_t block_size = 16;
  std::uint32_t blocks = 0;
  SamplingParams sampling;
  std::vector<std::string> stops;
  std::string record;
};

/// Opens the recording with the first request: one that is refused replaces no file. Events before it wait.
class Recording : public EventSink {
 public:
  explicit Recording(std::string path) : path_(std::move(path)) {}
  void emit(Event event) override {
    if (path_.empty()) return;
    const bool arrived = std::holds_alternative<RequestArrived>(event);
    early_.push_back(std::move(event));
    if (!writer_ && !arrived) return;
    if (!writer_) writer_ = std::make_unique<TraceWriter>(path_);
    for (Event& waiting : early_) writer_->emit(std::move(waiting));
    early_.clear();
  }

 private:
  std::string path_;
  std::vector<Event> early_;
  std::unique_ptr<TraceWriter> writer_;
};

const std::map<std::string, CacheKind>& cache_kinds() {
  static const std::map<std::string, CacheKind> kKinds{
      {"none", CacheKind::none}, {"contiguous", CacheKind::contiguous}, {"paged", CacheKind::paged}};
  return kKinds;
}

GenerationSpec spec_of(const Options& options, const ModelChoice& choice) {
  check_prompt(options.prompt);
  GenerationSpec spec;
  spec.request.prompt = choice.tokenizer->encode(options.prompt);
  spec.request.max_new_tokens = options.tokens;
  spec.request.sampling = options.sampling;
  spec.request.stop_strings = options.stops;
  // llama2.c's stories end with the begin token of the next one.
  spec.request.end_tokens = {cpu::kBeginOfSequence, cpu::kEndOfSequence};
  spec.cache = cache_kinds().at(options.cache);
  spec.block_size = options.block_size;
  spec.num_blocks = options.blocks;
  return spec;
}

/// Prints at once. Nobody reads any more: the answer ends, which is no error; anything else is one.
void print_now(std::string_view bytes, CancelToken& cancel) {
  const bool printed = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  if (printed) return;
  cancel.cancel();
  if (errno != EPIPE) throw std::system_error(errno, std::generic_category());
}

void print_report(const GenerationReport& report, const std::string& cache) {
  fmt::print(stderr, "{}",
             tr_format("{} tokens after a prompt of {} in {:.3f} s: {:.1f} tokens/s\n", report.new_tokens,
                       report.prompt_tokens, report.seconds,
                       report.seconds > 0 ? static_cast<double>(report.new_tokens) / report.seconds : 0.0));
  fmt::print(stderr, "{}", tr_format("cache {}: {}\n", cache, size_in_words(report.cache_bytes)));
  fmt::print(stderr, "{}",
             tr_format("K and V computed {} times (token and layer), {} dot products, {} read, {} FLOP\n",
                       with_commas(report.work.kv_projections), with_commas(report.work.score_products),
                       binary_size(report.work.bytes_read), with_commas(report.work.flops)));
}

int run(const Options& options) {
  const ModelChoice choice = choose_model(options.model, options.tokenizer);
  const GenerationSpec spec = spec_of(options, choice);
  CancelToken& cancel = cancelled_by_interrupt();
  Recording sink(options.record);
  bool begun = false;
  const auto begin = [&] {  // not before the request was found possible
    if (begun) return;
    begun = true;
    if (options.model.empty()) {
      fmt::print(stderr, "{}\n", tr("no --model FILE: the built-in model has random weights and writes nonsense"));
    }
    print_now(options.prompt, cancel);
  };
  const GenerationReport report = generate(choice, spec, sink, cancel, [&](std::string_view bytes) {
    begin();
    print_now(bytes, cancel);
  });
  begin();  // the answer may be empty
  print_now("\n", cancel);
  print_report(report, options.cache);
  return report.stopped ? kStopped : kDone;
}

void add_sampling(CLI::App& flags, SamplingParams& sampling) {
  flags.add_option("--temperature", sampling.temperature, std::string(tr("0: always the most likely token")))
      ->capture_default_str();
  flags.add_option("--top-k", sampling.top_k, std::string(tr("choose among the k most likely tokens; 0: among all")))
      ->check(whole_number(0, UINT32_MAX));
  flags
      .add_option("--top-p", sampling.top_p, std::string(tr("choose among the likeliest that reach this probability")))
      ->capture_default_str();
  flags.add_option("--seed", sampling.seed, std::string(tr("the same seed, the same text")))
      ->check(whole_number(0, UINT64_MAX));
}

}  // namespace

Command generate_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("generate", std::string(tr("Go on writing after a prompt")));
  flags->footer(std::string(tr("Example: kvarium generate --prompt \"Once upon a time\" --tokens 32 --cache paged")));
  const auto options = std::make_shared<Options>();
  flags->add_option("--model", options->model, std::string(tr("a llama2.c checkpoint; none: the built-in model")));
  flags->add_option("--tokenizer", options->tokenizer, std::string(tr("the model's tokenizer file")));
  flags->add_option("--prompt", options->prompt, std::string(tr("the text to go on from")))->required();
  flags->add_option("--tokens", options->tokens, std::string(tr("how many tokens to write at most")))
      ->check(whole_number(1, UINT32_MAX))
      ->capture_default_str();
  add_sampling(*flags, options->sampling);
  flags->add_option("--cache", options->cache, std::string(tr("what happens to K and V; the text is the same")))
      ->check(CLI::IsMember({"none", "contiguous", "paged"}))
      ->capture_default_str();
  flags->add_option("--block-size", options->block_size, std::string(tr("tokens a block, with --cache paged")))
      ->check(whole_number(1, 1U << 20U))
      ->capture_default_str();
  flags->add_option("--blocks", options->blocks, std::string(tr("blocks of the pool; else as many as are needed")))
      ->check(whole_number(1, 1U << 20U));
  flags->add_option("--stop", options->stops, std::string(tr("end where this text begins; may be given again")));
  flags->add_option("--record", options->record,
                    std::string(tr("write what happens to this file: see kvarium replay")));
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
