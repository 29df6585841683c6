#include "core/cost/model_shapes.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/cost/plain_name.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::uint32_t k128Ki = 131072;

/// One K and one V row a KV head.
ModelShape heads(std::string name, std::uint32_t layers, std::uint32_t query_heads, std::uint32_t kv_heads,
                 std::uint32_t head_dim, std::uint32_t hidden, std::uint32_t vocab, std::uint32_t context) {
  return {std::move(name), layers, query_heads, kv_heads, head_dim, hidden, vocab, context, KvKind::heads, 0, 0};
}

/// Multi-head latent attention: 512 numbers of compressed K and V and 64 of the shared rotary key a layer.
ModelShape latent(std::string name, std::uint32_t layers, std::uint32_t query_heads, std::uint32_t hidden,
                  std::uint32_t vocab, std::uint32_t context) {
  return {std::move(name), layers, query_heads, query_heads, 128, hidden, vocab, context, KvKind::latent, 512, 64};
}

std::vector<ModelShape> make_shapes() {
  // name, layers, query heads, KV heads, head dim, hidden, vocabulary, context
  return {
      // Radford et al. 2019; Brown et al. 2020, table 2.1.
      heads("gpt-2-small", 12, 12, 12, 64, 768, 50257, 1024),
      heads("gpt-2-medium", 24, 16, 16, 64, 1024, 50257, 1024),
      heads("gpt-2-large", 36, 20, 20, 64, 1280, 50257, 1024),
      heads("gpt-2-xl", 48, 25, 25, 64, 1600, 50257, 1024),
      heads("gpt-3-175b", 96, 96, 96, 128, 12288, 50257, 2048),
      // Touvron et al. 2023; Dubey et al. 2024, table 3.
      heads("llama-2-7b", 32, 32, 32, 128, 4096, 32000, 4096),
      heads("llama-2-13b", 40, 40, 40, 128, 5120, 32000, 4096),
      heads("llama-2-70b", 80, 64, 8, 128, 8192, 32000, 4096),
      heads("llama-3.1-8b", 32, 32, 8, 128, 4096, 128256, k128Ki),
      heads("llama-3.1-70b", 80, 64, 8, 128, 8192, 128256, k128Ki),
      heads("llama-3.1-405b", 126, 128, 8, 128, 16384, 128256, k128Ki),
      // Version 0.3: the first without a sliding window, so that all of its context is kept.
      heads("mistral-7b", 32, 32, 8, 128, 4096, 32768, 32768),
      // Qwen2.5 technical report, table 1, and the model cards.
      heads("qwen2.5-0.5b", 24, 14, 2, 64, 896, 151936, 32768),
      heads("qwen2.5-1.5b", 28, 12, 2, 128, 1536, 151936, 32768),
      heads("qwen2.5-3b", 36, 16, 2, 128, 2048, 151936, 32768),
      heads("qwen2.5-7b", 28, 28, 4, 128, 3584, 152064, k128Ki),
      heads("qwen2.5-14b", 48, 40, 8, 128, 5120, 152064, k128Ki),
      heads("qwen2.5-32b", 64, 40, 8, 128, 5120, 152064, k128Ki),
      heads("qwen2.5-72b", 80, 64, 8, 128, 8192, 152064, k128Ki),
      // Qwen3 technical report, table 1: head_dim is 128 in all sizes, whatever hidden / query heads would give.
      heads("qwen3-0.6b", 28, 16, 8, 128, 1024, 151936, 32768),
      heads("qwen3-1.7b", 28, 16, 8, 128, 2048, 151936, 32768),
      heads("qwen3-4b", 36, 32, 8, 128, 2560, 151936, 32768),
      heads("qwen3-8b", 36, 32, 8, 128, 4096, 151936, 32768),
      heads("qwen3-14b", 40, 40, 8, 128, 5120, 151936, 32768),
      heads("qwen3-32b", 64, 64, 8, 128, 5120, 151936, 32768),
      // Almazrouei et al. 2023: multi-query attention, all 71 query heads share one KV head.
      heads("falcon-7b", 32, 71, 1, 64, 4544, 65024, 2048),
      // DeepSeek-V2 and -V3 technical reports, sections 3.1.2 and 4.2.
      latent("deepseek-v2", 60, 128, 5120, 102400, k128Ki),
      latent("deepseek-v3", 61, 128, 7168, 129280, k128Ki),
  };
}

/// Levenshtein: how many characters must be inserted, removed or replaced to make one word the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of the first i characters of a to each start of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

std::string near_names(const std::string& plain) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const ModelShape& shape : model_shapes()) {
    const std::string candidate = plain_name(shape.name);
    const bool inside = !plain.empty() && candidate.find(plain) != std::string::npos;
    ranked.emplace_back(inside ? 0 : 1 + edit_distance(plain, candidate), shape.name);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string names;
  for (std::size_t i = 0; i < kShown; ++i) names += (i == 0 ? "" : ", ") + ranked[i].second;
  return names;
}

}  // namespace

const std::vector<ModelShape>& model_shapes() {
  static const std::vector<ModelShape> kShapes = make_shapes();
  return kShapes;
}

const ModelShape& find_model_shape(std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) throw InputError(tr_format("a model name of {} characters: too long", name.size()));
  const std::string plain = plain_name(name);
  for (const ModelShape& shape : model_shapes()) {
    if (plain_name(shape.name) == plain) return shape;
  }
  throw InputError(tr_format("there is no model shape '{}': did you mean one of {}?", name, near_names(plain)));
}

}  // namespace kvarium
