// How near decoding comes to the memory's speed and prefilling to that of Eigen's products. Prints the table of
// docs/performance.md: decode_bench > table.md. Takes two to five minutes and 2.5 GB of memory.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <deque>
#include <fstream>
#include <memory>
#include <string>

#include "core/blocks/block_pool.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"
#include "tests/bench/machine_rates.h"
#include "tests/support/model_of_type.h"
#include "tests/support/seeded_model.h"

namespace {

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_bench::fast_seconds;

constexpr std::uint32_t kBlockSize = 16;
constexpr std::uint32_t kLongContext = 1024;
constexpr std::uint32_t kPrompt = 256;
constexpr int kDecodeTries = 60, kPrefillTries = 8;

/// Random weights in the shape of llama2.c's 110-million-weight model, with 4 KV heads.
std::shared_ptr<const Model> random_model() {
  kvarium_test::SeededParams params;
  params.layers = 12;
  params.hidden = 768;
  params.query_heads = 12;
  params.kv_heads = 4;
  params.ffn_hidden = 2048;
  params.vocab = 32000;
  params.context = 2048;
  params.tied_head = true;
  return kvarium_test::seeded_model(params);
}

/// What the machine gives with some threads.
struct Machine {
  std::uint32_t threads = 1;
  double bandwidth = 0;  ///< bytes a second
  double products = 0;   ///< operations a second
};

/// A model with caches for `requests`, ready to be run.
class Rig {
 public:
  Rig(const Model& model, std::uint32_t requests, std::uint32_t threads)
      : model_(model),
        transformer_(model),
        workspace_(threads),
        blocks_a_request_((kLongContext + kDecodeTries + 1) / kBlockSize + 1),
        store_(model.config.shape, requests * blocks_a_request_, kBlockSize),
        blocks_(scrambled_order(store_.num_blocks(), 1)),
        work_(requests) {
    empty(requests);
  }

  /// Forgets all tokens.
  void empty(std::uint32_t requests) {
    caches_.clear();
    for (std::uint32_t r = 0; r < requests; ++r) {
      caches_.emplace_back(store_, std::span(blocks_).subspan(r * blocks_a_request_, blocks_a_request_), 0);
    }
  }
  void run(std::span<const TokenId> tokens) {
    std::vector<SequenceInput> batch;
    for (PagedKvSequence& cache : caches_) batch.push_back({tokens, &cache});
    transformer_.forward(batch, workspace_, work_);
  }
  /// Tokens a second of all requests together.
  double decode_rate() {
    const TokenId token{7};
    run({&token, 1});
    const double seconds = fast_seconds(kDecodeTries, workspace_.threads.threads(), [&] { run({&token, 1}); });
    return static_cast<double>(caches_.size()) / seconds;
  }
  std::uint64_t flops() const { return work_[0].flops; }

 private:
  const Model& model_;
  Transformer transformer_;
  Workspace workspace_;
  std::uint32_t blocks_a_request_;
  PagedKvStore store_;
  std::vector<BlockId> blocks_;
  std::deque<PagedKvSequence> caches_;
  std::vector<Work> work_;
};

std::vector<TokenId> prompt_of(std::uint32_t tokens) {
  std::vector<TokenId> prompt;
  for (std::uint32_t i = 0; i < tokens; ++i) prompt.push_back(TokenId{static_cast<std::int32_t>(i * 7919 % 32000)});
  return prompt;
}

void row(const std::string& what, std::uint32_t threads, const std::string& measured, double ratio,
         const std::string& of, const std::string& goal) {
  fmt::print("| {} | {} | {} | {:.2f} {} | {} |\n", what, threads, measured, ratio, of, goal);
  std::fflush(stdout);
}

std::string tokens_a_second(double rate) { return fmt::format("{:.1f} tokens/s", rate); }

/// Decoding with an empty and a long context, eight requests together, and a prompt. Returns the first.
double measure(const Model& model, const std::string& type, const Machine& machine, double f32_rate) {
  Rig rig(model, 1, machine.threads);
  const double rate = rig.decode_rate();
  const double bytes = rate * static_cast<double>(matrix_bytes(model.weights));
  const std::string decode = "decode, " + type;
  row(decode, machine.threads, fmt::format("{}, {:.1f} GB/s", tokens_a_second(rate), bytes / 1e9),
      bytes / machine.bandwidth, "of the bandwidth", type == "F32" ? ">= 0.80" : "");
  if (f32_rate > 0) {
    row(decode, machine.threads, tokens_a_second(rate), rate / f32_rate, "x F32",
        type == "F16" ? ">= 1.8" : (type == "Q8_0" ? ">= 3" : ""));
  }
  rig.empty(1);
  for (std::uint32_t done = 0; done < kLongContext; done += kPrompt) rig.run(prompt_of(kPrompt));
  const double late = rig.decode_rate();
  row(decode + " at 1,024 tokens", machine.threads, tokens_a_second(late), late / rate, "of the empty context's",
      type == "F32" ? ">= 0.90" : "");

  Rig eight(model, 8, machine.threads);
  const double together = eight.decode_rate();
  row(decode + ", 8 requests", machine.threads, tokens_a_second(together), together / rate, "x one request",
      type == "F32" ? ">= 4" : "");

  const std::vector<TokenId> prompt = prompt_of(kPrompt);
  rig.empty(1);
  const std::uint64_t before = rig.flops();
  rig.run(prompt);
  const double flops = static_cast<double>(rig.flops() - before);
  const double seconds = fast_seconds(kPrefillTries, machine.threads, [&] {
    rig.empty(1);
    rig.run(prompt);
  });
  row("prefill of 256 tokens, " + type, machine.threads,
      fmt::format("{:.0f} tokens/s, {:.1f} GFLOP/s", kPrompt / seconds, flops / seconds / 1e9),
      flops / seconds / machine.products, "of Eigen's products", type == "F32" ? ">= 0.70" : "");
  return rate;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

}  // namespace

int main() {
  const std::time_t now = std::time(nullptr);
  fmt::print(
      "{:%Y-%m-%d}, {}, {} processors, compiler {}, {} floats a vector, random model of 100 million weights.\n\n",
      fmt::localtime(now), processor(), std::thread::hardware_concurrency(), __VERSION__, kLanes);
  fmt::print("| what | threads | measured | ratio | goal |\n|---|---|---|---|---|\n");
  const std::shared_ptr<const Model> f32 = random_model();
  std::vector<std::shared_ptr<const Model>> others;
  const std::vector<WeightType> types = {WeightType::f16, WeightType::q8_0, WeightType::q4_0};
  for (const WeightType type : types) others.push_back(kvarium_test::model_of_type(*f32, type));
  kvarium_bench::ReadBandwidth bandwidth;
  for (const std::uint32_t threads : {1U, 2U}) {
    ThreadPool pool(threads);
    const Machine machine{threads, bandwidth(pool), kvarium_bench::product_rate(pool)};
    fmt::print("| sum over 1 GiB | {} | {:.1f} GB/s | | |\n", threads, machine.bandwidth / 1e9);
    fmt::print("| Eigen's product of 1024 x 1024 matrices | {} | {:.1f} GFLOP/s | | |\n", threads,
               machine.products / 1e9);
    const double f32_rate = measure(*f32, "F32", machine, 0);
    for (std::size_t i = 0; i < others.size(); ++i) {
      measure(*others[i], std::string(name(types[i])), machine, f32_rate);
    }
  }
}
