#include "cuda/demos/attention_decode_demo.h"

#include <cmath>

#include "cuda/demos/list.h"
#include "cuda/kernels/attention_decode.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

/// What a problem is made of, before it lies in the memory of the device.
struct Cached {
  KvLayout layout;
  unsigned query_heads = 1;
  float scale = 1;
  std::vector<unsigned> table;
  unsigned tokens = 0;
  std::vector<float> queries;  ///< [query_heads][head_dim]
  std::vector<float> keys;     ///< [token][kv_heads][head_dim]
  std::vector<float> values;   ///< the same

  std::vector<std::size_t> slots() const {
    std::vector<std::size_t> result;
    for (unsigned j = 0; j < tokens; ++j)
      result.push_back(std::size_t{table[j / layout.block_size]} * layout.block_size + j % layout.block_size);
    return result;
  }
  /// The rows of the tokens where the table says; NaN where no token lies.
  std::vector<float> in_cache(const std::vector<float>& rows) const {
    const std::size_t width = layout.token_stride();
    std::vector<float> cache(kElevenBlocks * layout.block_stride(), NAN);
    const std::vector<std::size_t> places = slots();
    for (std::size_t i = 0; i < rows.size(); ++i) cache[layout.slot_offset(places[i / width]) + i % width] = rows[i];
    return cache;
  }
};

class DecodeInstance : public Instance {
 public:
  explicit DecodeInstance(const Cached& cached)
      : table_(cached.table, "block_table"),
        lengths_(std::vector<unsigned>{cached.tokens}, "lengths"),
        queries_(cached.queries, "queries"),
        keys_(cached.in_cache(cached.keys), "keys"),
        values_(cached.in_cache(cached.values), "values"),
        out_(cached.queries.size(), "out") {
    call_.queries = queries_.ptr();
    call_.kv = {keys_.ptr(),
                values_.ptr(),
                cached.layout,
                {table_.ptr(), static_cast<unsigned>(cached.table.size()), kElevenBlocks}};
    call_.lengths = lengths_.ptr();
    call_.out = out_.ptr();
    call_.sequences = 1;
    call_.query_heads = cached.query_heads;
    call_.scale = cached.scale;
    const std::size_t heads = cached.query_heads, n = cached.tokens, d = cached.layout.head_dim, s = sizeof(float);
    const std::size_t kv = 2 * n * cached.layout.token_stride() * s;
    floor = {"2 n w s + 4 b + 4 + 2 H d s", kv + 4 * cached.table.size() + 4 + 2 * heads * d * s};
    paged = PagedTokens{cached.layout.block_size, cached.slots(), cached.layout.token_stride() * s, "keys", "values"};
  }

  std::vector<Output> outputs() const override { return {{"out", out_.download()}}; }

 protected:
  const AttentionDecode<float>& call() const { return call_; }

 private:
  DeviceBuffer<unsigned> table_, lengths_;
  DeviceBuffer<float> queries_, keys_, values_, out_;
  AttentionDecode<float> call_;
};

template <int lanes>
class WarpAHead : public DecodeInstance {
 public:
  explicit WarpAHead(const Cached& cached) : DecodeInstance(cached) {
    const std::size_t heads = cached.query_heads, n = cached.tokens, d = cached.layout.head_dim, s = sizeof(float);
    by_table = {"H (2 n d s + 4 n + 2 d s) + 4 t", heads * (2 * n * d * s + 4 * n + 2 * d * s) + 4 * heads * lanes};
  }
  emulator::KernelLaunch launch() override {
    return emulator::make_launch(attention_decode_warp<float, lanes>, attention_decode_warp_grid(call()), lanes, 0,
                                 call());
  }
};

/// Heads of one number and a query of 1: a key is its score.
Cached eleven_keys() {
  std::vector<float> values;
  for (std::size_t j = 0; j < eleven_scores().size(); ++j) values.push_back(static_cast<float>(j + 1));
  return {{kElevenBlockSize, 1, 1}, 1,     1.0F, eleven_table(), static_cast<unsigned>(values.size()), {1.0F},
          eleven_scores(),          values};
}

/// Two query heads that share one KV head of eight numbers.
Cached shared_heads() {
  constexpr unsigned kDim = 8, kHeads = 2, kTokens = 11;
  Cached cached{
      {kElevenBlockSize, 1, kDim}, kHeads, 1.0F / std::sqrt(float{kDim}), eleven_table(), kTokens, {}, {}, {}};
  for (unsigned i = 0; i < kHeads * kDim; ++i) cached.queries.push_back(std::cos(0.3F * static_cast<float>(i)));
  for (unsigned i = 0; i < kTokens * kDim; ++i) {
    cached.keys.push_back(std::sin(0.7F * static_cast<float>(i)));
    cached.values.push_back(static_cast<float>(i % kDim));
  }
  return cached;
}

template <typename Shown>
Problem problem(std::string id, std::string title, Cached (*cached)()) {
  return {std::move(id), std::move(title), [cached] { return std::make_unique<Shown>(cached()); }};
}

}  // namespace

const std::vector<float>& eleven_scores() {
  static const std::vector<float> kScores{1, 3, 2, 0, 5, 4, 1, 2, 0, 6, 3};
  return kScores;
}

const std::vector<unsigned>& eleven_table() {
  static const std::vector<unsigned> kTable{7, 3, 12};
  return kTable;
}

Kernel attention_decode_demos() {
  Rung warp{"warp_a_head", "one warp a query head, a key a lane", {}};
  warp.problems.push_back(problem<WarpAHead<8>>("eleven-8", "11 keys, a warp of 8 lanes (S11)", eleven_keys));
  warp.problems.push_back(problem<WarpAHead<4>>("eleven-4", "11 keys, a warp of 4 lanes", eleven_keys));
  warp.problems.push_back(problem<WarpAHead<32>>("eleven-32", "11 keys, a whole warp", eleven_keys));
  warp.problems.push_back(
      problem<WarpAHead<8>>("shared-8", "2 query heads that share K and V, 8 numbers each", shared_heads));
  return {"attention_decode", "attention of a new token over the paged cache", {std::move(warp)}};
}

}  // namespace kvarium::cuda::demos
