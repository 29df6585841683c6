// kvarium generate: a prompt goes in, text comes out, and then how much work it was.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/cost/units.h"
#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "cuda/kernels/most_tree_tokens.h"
#include "cuda/runner/device_runner.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/scenario.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/generation.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/model_flags.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/recording.h"

namespace kvarium {
namespace {

struct Options {
  ModelFlags model;
  std::vector<std::string> prompts;
  std::vector<std::string> salts;
  bool chat = false;
  std::string system;  ///< the message before the chat; empty: the model's own
  std::uint32_t tokens = 64;
  std::string cache = "paged";
  ScenarioParams engine{.block_size = 16, .max_running = 0};  ///< max_running 0: all at once
  SamplingParams sampling;
  std::vector<std::string> stops;
  std::string runner = "cpu";
  std::string numbers = "f32";
  std::string speculate;  ///< who guesses ahead; empty: nobody
  std::string draft;
  std::string match = "earliest";    ///< of ngram
  std::string acceptance = "exact";  ///< of drafts, where the answer is sampled
  bool adaptive_length = false;
  std::string record;
};

const std::map<std::string, CacheKind>& cache_kinds() {
  static const std::map<std::string, CacheKind> kKinds{
      {"none", CacheKind::none}, {"contiguous", CacheKind::contiguous}, {"paged", CacheKind::paged}};
  return kKinds;
}

const std::map<std::string, RunnerKind>& runner_kinds() {
  static const std::map<std::string, RunnerKind> kKinds{
      {"cpu", RunnerKind::reference}, {"kernels", RunnerKind::kernels}, {"device", RunnerKind::device}};
  return kKinds;
}

const std::map<std::string, cuda::NumberType>& number_types() {
  static const std::map<std::string, cuda::NumberType> kTypes{
      {"f32", cuda::NumberType::f32}, {"f16", cuda::NumberType::f16}, {"bf16", cuda::NumberType::bf16}};
  return kTypes;
}

/// What a tree of guesses cannot be.
void check_tree_flags(const Options& options) {
  if (options.acceptance == "typical") {
    throw InputError(std::string(tr("--acceptance typical judges chains of guesses, not trees: --speculate medusa")));
  }
  if (options.adaptive_length) {
    throw InputError(std::string(tr("--adaptive-length is for chains of guesses, not trees: --speculate medusa")));
  }
  constexpr std::uint32_t kMost = cuda::kMostTreeTokens - 1;  // the newest token is one of them
  if (options.runner != "cpu" && options.engine.draft_length > kMost) {
    throw InputError(tr_format("--draft-length {}: the kernels judge trees of at most {} guesses",
                               options.engine.draft_length, kMost));
  }
}

/// What --cache none and contiguous cannot do, and options that mean nothing without others.
void check_flags(const Options& options) {
  const ScenarioParams& engine = options.engine;
  if (options.cache != "paged") {
    if (options.prompts.size() > 1) throw InputError(std::string(tr("several --prompt need --cache paged")));
    if (engine.candidates > 1) throw InputError(std::string(tr("--candidates above 1 needs --cache paged")));
    if (engine.prefix_cache != "off") throw InputError(std::string(tr("--prefix-cache needs --cache paged")));
    if (options.runner != "cpu") throw InputError(tr_format("--runner {} needs --cache paged", options.runner));
    if (!options.speculate.empty()) throw InputError(std::string(tr("--speculate needs --cache paged")));
  }
  if (options.runner == "cpu" && options.numbers != "f32") {
    throw InputError(
        tr_format("--numbers {} needs --runner kernels or device: the CPU reference computes in F32", options.numbers));
  }
  if (!options.draft.empty() && options.speculate != "draft") {
    throw InputError(std::string(tr("--draft needs --speculate draft")));
  }
  if (options.match != "earliest" && options.speculate != "ngram") {
    throw InputError(std::string(tr("--match needs --speculate ngram")));
  }
  if (options.acceptance == "typical" && options.sampling.temperature == 0) {
    throw InputError(
        std::string(tr("--acceptance typical needs --temperature above 0: without it nothing is sampled")));
  }
  if (options.speculate == "medusa-tree") check_tree_flags(options);
  if (engine.prefix_cache != "hash" && engine.eviction != "lru") {
    throw InputError(tr_format("--eviction {} needs --prefix-cache hash", engine.eviction));
  }
  if (options.salts.size() > 1 && options.salts.size() != options.prompts.size()) {
    throw InputError(tr_format("{} times --tenant-salt and {} times --prompt: give one salt, or one for each prompt",
                               options.salts.size(), options.prompts.size()));
  }
  check_together(engine);
  if (options.runner == "device" && !cuda::why_no_device_runner().empty()) {
    throw InputError(cuda::why_no_device_runner());
  }
}

GenerationSpec spec_of(const Options& options, const ModelChoice& choice) {
  GenerationSpec spec;
  RequestSpec request;
  request.max_new_tokens = options.tokens;
  request.sampling = options.sampling;
  request.stop_strings = options.stops;
  request.candidates = options.engine.candidates;
  request.end_tokens = choice.tokenizer->end_tokens();
  for (std::size_t i = 0; i < options.prompts.size(); ++i) {
    check_prompt(options.prompts[i]);
    request.prompt = encode_prompt(choice, options.prompts[i], options.chat, options.system);
    request.sampling.seed = options.sampling.seed + i * request.candidates;  // every answer has its own
    if (!options.salts.empty()) request.keys.tenant_salt = options.salts[options.salts.size() == 1 ? 0 : i];
    spec.requests.push_back(request);
  }
  spec.cache = cache_kinds().at(options.cache);
  spec.runner = runner_kinds().at(options.runner);
  spec.numbers = number_types().at(options.numbers);
  spec.engine = options.engine;
  if (options.speculate == "medusa-tree" && options.runner != "cpu" &&
      choice.model->config.shape.kv_kind == KvKind::latent) {
    throw InputError(std::string(tr("the kernels judge no trees of guesses of a latent model: --speculate medusa")));
  }
  if (!options.speculate.empty()) {
    spec.proposer = ProposerChoice{
        options.speculate, options.draft, {}, right_with_probability(kOracleAcceptance, options.sampling.seed)};
    spec.proposer->ngram.match = options.match == "latest" ? NgramMatch::latest : NgramMatch::earliest;
    spec.adaptive_length = options.adaptive_length;
    spec.rule = options.acceptance == "typical" ? AcceptanceRule::typical : AcceptanceRule::exact;
  }
  return spec;
}

/// Prints at once. Nobody reads any more: the answer ends, which is no error; anything else is one.
void print_now(std::string_view bytes, CancelToken& cancel) {
  const bool printed = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  if (printed) return;
  cancel.cancel();
  if (errno != EPIPE) throw std::system_error(errno, std::generic_category());
}

/// How many tokens, by whom, and how quickly, where the time is theirs.
std::string speed_in_words(const GenerationReport& report, const Options& options) {
  if (options.runner == "kernels") {
    return tr_format(
        "{} tokens after a prompt of {} by the CUDA kernels in {}, emulated: no time of theirs is a "
        "device's\n",
        report.new_tokens, report.prompt_tokens, options.numbers);
  }
  const double speed = report.seconds > 0 ? static_cast<double>(report.new_tokens) / report.seconds : 0.0;
  if (options.runner == "device") {
    return tr_format("{} tokens after a prompt of {} by the CUDA kernels in {} on {}, in {:.3f} s: {:.1f} tokens/s\n",
                     report.new_tokens, report.prompt_tokens, options.numbers, cuda::device_name(), report.seconds,
                     speed);
  }
  return tr_format("{} tokens after a prompt of {} in {:.3f} s: {:.1f} tokens/s\n", report.new_tokens,
                   report.prompt_tokens, report.seconds, speed);
}

void print_report(const GenerationReport& report, const Options& options) {
  fmt::print(stderr, "{}", speed_in_words(report, options));
  fmt::print(stderr, "{}", tr_format("cache {}: {}\n", options.cache, size_in_words(report.cache_bytes)));
  fmt::print(stderr, "{}",
             tr_format("K and V computed {} times (token and layer), {} dot products, {} read, {} FLOP\n",
                       with_commas(report.work.kv_projections), with_commas(report.work.score_products),
                       binary_size(report.work.bytes_read), with_commas(report.work.flops)));
}

/// What was shared, where anything could be.
void print_sharing(const GenerationReport& report, const Options& options) {
  if (report.answers.size() > 1) {
    const auto& [blocks, without] = report.memory;
    fmt::print(stderr, "{}",
               tr_format("sharing: {} blocks held ({}), without sharing {} ({}): {:.1f} % less\n", blocks,
                         binary_size(blocks * report.block_bytes), without, binary_size(without * report.block_bytes),
                         report.memory.saved_percent()));
    fmt::print(stderr, "{}",
               tr_format("copy on write: {} blocks, {} tokens copied\n", report.copies.blocks, report.copies.tokens));
  }
  if (options.engine.prefix_cache != "off") {
    fmt::print(
        stderr, "{}",
        tr_format("prefix cache {}: {} of {} prompt tokens found, {} blocks evicted\n", options.engine.prefix_cache,
                  report.prefix.hit_tokens, report.prefix.queried_tokens, report.evicted_blocks));
  }
  if (report.preemptions > 0) {
    fmt::print(stderr, "{}",
               tr_format("preemptions: {}; {} tokens found again afterwards\n", report.preemptions,
                         report.resumed_prefix.hit_tokens));
  }
}

void print_speculation(const SpeculationCounts& counts) {
  if (counts.rounds == 0) return;
  fmt::print(stderr, "{}",
             tr_format("drafts: {} rounds, {} of {} guesses accepted, {:.2f} tokens a round\n", counts.rounds,
                       counts.accepted, counts.drafted, counts.tokens_a_round()));
}

int run(Options options) {
  const auto answers =
      static_cast<std::uint32_t>(std::min<std::size_t>(options.prompts.size() * options.engine.candidates, UINT32_MAX));
  if (options.engine.max_running == 0) options.engine.max_running = answers;
  options.engine.seed = options.sampling.seed;
  check_flags(options);
  CancelToken& cancel = cancelled_by_interrupt();
  const std::optional<ModelChoice> opened = open_flagged_model(options.model, cancel);
  if (!opened) return kStopped;
  const ModelChoice& choice = *opened;
  const GenerationSpec spec = spec_of(options, choice);
  Recording sink(options.record);
  bool begun = false;
  const auto begin = [&] {  // not before the request was found possible
    if (begun) return;
    begun = true;
    print_model_facts(choice);
    if (answers == 1 && !options.chat) print_now(options.prompts.front(), cancel);
  };
  const GenerationReport report = generate(choice, spec, sink, cancel, [&](std::string_view bytes) {
    begin();
    print_now(bytes, cancel);
  });
  begin();  // the answer may be empty
  for (std::size_t i = 0; i < report.answers.size() && answers > 1; ++i) {
    print_now(fmt::format("{}[{}] {}{}{}", i == 0 ? "" : "\n", i + 1, options.prompts[i / options.engine.candidates],
                          options.chat ? "\n" : "", report.answers[i]),
              cancel);
  }
  print_now("\n", cancel);
  print_report(report, options);
  print_sharing(report, options);
  print_speculation(report.speculation);
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

/// One of the values of a choice.
void add_choice(CLI::App& flags, const char* flag, std::string& value, const char* id, std::string_view help) {
  flags.add_option(flag, value, std::string(tr(help)))->check(CLI::IsMember(values_of(id)))->capture_default_str();
}

/// How the engine shares its memory and its steps; all with --cache paged.
void add_engine(CLI::App& flags, Options& options) {
  ScenarioParams& engine = options.engine;
  flags.add_option("--block-size", engine.block_size, std::string(tr("tokens a block, with --cache paged")))
      ->check(whole_number(1, 1U << 20U))
      ->capture_default_str();
  flags.add_option("--blocks", engine.num_blocks, std::string(tr("blocks of the pool; else as many as are needed")))
      ->check(whole_number(1, 1U << 20U));
  flags
      .add_option("--candidates", engine.candidates, std::string(tr("answers to each prompt; they share its K and V")))
      ->check(whole_number(1, 256))
      ->capture_default_str();
  flags.add_option("--max-running", engine.max_running, std::string(tr("answers that run at once; else all")))
      ->check(whole_number(1, 4096));
  flags.add_option("--token-budget", engine.token_budget, std::string(tr("tokens that one step may compute")))
      ->check(whole_number(1, UINT32_MAX))
      ->capture_default_str();
  add_choice(flags, "--prefix-cache", engine.prefix_cache, "prefix_cache", "how beginnings are found again");
  add_choice(flags, "--queue-order", engine.queue_order, "queue_order", "where free blocks go, with the hash cache");
  add_choice(flags, "--eviction", engine.eviction, "eviction", "what is forgotten first, with the hash cache");
  add_choice(flags, "--scheduler", engine.scheduler, "scheduler", "who computes in the next step");
  add_choice(flags, "--preemption", engine.preemption, "preemption", "what becomes of K and V that must make room");
  flags.add_option("--tenant-salt", options.salts,
                   std::string(tr("only prompts with the same salt share K and V; once, or once a prompt")));
}

/// Speculative decoding, with --cache paged.
void add_speculation(CLI::App& flags, Options& options) {
  CLI::Option* const who =
      flags.add_option("--speculate", options.speculate, std::string(tr("who guesses tokens ahead")))
          ->check(CLI::IsMember(values_of("proposer")));
  flags.add_option("--draft", options.draft, std::string(tr("the small model of --speculate draft; else tales-draft")))
      ->needs(who);
  flags
      .add_option("--draft-length", options.engine.draft_length,
                  std::string(tr("tokens that are guessed a round; of a tree its candidates")))
      ->check(whole_number(1, kMostDrafts))
      ->needs(who)
      ->capture_default_str();
  flags
      .add_flag("--adaptive-length", options.adaptive_length,
                std::string(tr("fewer tokens a round while guesses are rejected, more while they are accepted")))
      ->needs(who);
  flags
      .add_option("--match", options.match,
                  std::string(tr("which of several places in the text --speculate ngram goes on from")))
      ->check(CLI::IsMember({"earliest", "latest"}))
      ->needs(who)
      ->capture_default_str();
  flags
      .add_option("--acceptance", options.acceptance,
                  std::string(tr("exact: the answer is sampled as without guessing; typical: what is likely enough is "
                                 "accepted, and the answer is sampled from another distribution")))
      ->check(CLI::IsMember({"exact", "typical"}))
      ->needs(who)
      ->capture_default_str();
}

}  // namespace

Command generate_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("generate", std::string(tr("Go on writing after a prompt")));
  flags->footer(
      std::string(tr("Example: kvarium generate --prompt \"Once there was\" --tokens 32 --cache paged\n"
                     "Example: kvarium generate --prompt \"Once there was\" --candidates 3 --temperature 0.8\n"
                     "Example: kvarium generate --prompt \"Once there was\" --prompt \"Once there was a little\" "
                     "--prefix-cache hash --block-size 4 --max-running 1\n"
                     "Example: kvarium generate --model SmolLM2-135M-Instruct.gguf --chat --prompt \"Name three "
                     "colors.\"")));
  const auto options = std::make_shared<Options>();
  add_model_flags(*flags, options->model);
  flags->add_option("--prompt", options->prompts, std::string(tr("the text to go on from; may be given again")))
      ->required();
  flags->add_flag("--chat", options->chat,
                  std::string(tr("the prompt is a message: answer it, as the model was trained to")));
  flags->add_option("--system", options->system, std::string(tr("with --chat: what the model is told before it")))
      ->needs(flags->get_option("--chat"));
  flags->add_option("--tokens", options->tokens, std::string(tr("how many tokens to write at most")))
      ->check(whole_number(1, UINT32_MAX))
      ->capture_default_str();
  add_sampling(*flags, options->sampling);
  flags->add_option("--cache", options->cache, std::string(tr("what happens to K and V; the text is the same")))
      ->check(CLI::IsMember({"none", "contiguous", "paged"}))
      ->capture_default_str();
  flags
      ->add_option("--runner", options->runner,
                   std::string(tr("who computes: the CPU reference; the CUDA kernels, emulated thread by thread; "
                                  "or a device, in a program built with CUDA")))
      ->check(CLI::IsMember({"cpu", "kernels", "device"}))
      ->capture_default_str();
  flags->add_option("--numbers", options->numbers, std::string(tr("what the kernels compute with and keep")))
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  add_engine(*flags, *options);
  add_speculation(*flags, *options);
  flags->add_option("--stop", options->stops, std::string(tr("end where this text begins; may be given again")));
  flags->add_option("--record", options->record,
                    std::string(tr("write what happens to this file: see kvarium replay")));
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
