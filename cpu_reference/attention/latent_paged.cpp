#include "cpu_reference/attention/latent_paged.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu_reference/attention/cache_reads.h"
#include "cpu_reference/attention/tile_products.h"
#include "cpu_reference/attention/tile_walk.h"
#include "cpu_reference/operators/online_softmax.h"

namespace kvarium::cpu {
namespace {

constexpr Index kRows = 32;  // (token, head) pairs of one task: so many use a tile while it is in the cache

/// The arguments of the call, as the tasks need them.
struct Job {
  const MatrixIn& absorbed;
  Index first_position;
  std::span<const KvRun> runs;
  const LatentShape& shape;
  MatrixInOut& latents;
  float root;  ///< sqrt(head_dim + rotary_dim)

  Index width() const { return shape.latent_dim + shape.rotary_dim; }
  Index visible(Index t) const { return first_position + t + 1; }  ///< positions [0, visible)
};

/// Some (token, head) pairs, those of a token one behind the other: pair r is head r % heads of token r / heads.
class Pairs {
 public:
  Pairs(const Job& job, Index first, Index count) : job_(job), first_(first), count_(count) {
    for (Index r = 0; r < count_; ++r) {
      state(r).out = {job_.latents.row(token(r)).data() + head(r) * job_.shape.latent_dim,
                      static_cast<std::size_t>(job_.shape.latent_dim)};
      state(r).reset();
    }
    KeyTile tile;
    TileWalk walk(job_.runs, job_.width(), 0, {0, job_.visible(token(count_ - 1))});
    for (walk.next(tile); tile.count > 0; walk.next(tile)) add(tile);
    for (Index r = 0; r < count_; ++r) state(r).finish(state(r).out);
  }

 private:
  Index token(Index r) const { return (first_ + r) / job_.shape.heads; }
  Index head(Index r) const { return (first_ + r) % job_.shape.heads; }
  OnlineSoftmax& state(Index r) { return states_[static_cast<std::size_t>(r)]; }

  void add(const KeyTile& tile) {
    for (Index first = 0; first < count_;) {
      const Index pairs = std::min({Index{kTogether}, count_ - first, job_.shape.heads - head(first)});
      const Index seen = std::clamp<Index>(job_.visible(token(first)) - tile.first, 0, tile.count);
      Sums to{};
      for (Index q = 0; q < pairs; ++q) {
        float* const weights = weights_.data() + q * kKeyTile;
        const float* const query = job_.absorbed.row(token(first)).data() + head(first + q) * job_.width();
        multiply(query, tile.keys.data(), seen, job_.width(), weights);
        Eigen::Map<Eigen::ArrayXf>(weights, seen) /= job_.root;
        state(first + q).weigh({weights, static_cast<std::size_t>(seen)});
        to.weights[q] = weights;
        to.sums[q] = state(first + q).out.data();
      }
      add_rows(pairs, to, tile.values.data(), seen, job_.shape.latent_dim);
      first += pairs;
    }
  }

  const Job& job_;
  Index first_, count_;
  std::array<OnlineSoftmax, kRows> states_;
  alignas(64) std::array<float, kTogether * kKeyTile> weights_;  // [pairs at a time][positions of the tile]
};

void count_work(const Job& job, Work& work) {
  const auto heads = static_cast<std::uint64_t>(job.shape.heads);
  const auto width = static_cast<std::uint64_t>(job.width()), latent = static_cast<std::uint64_t>(job.shape.latent_dim);
  for (Index t = 0; t < job.absorbed.rows(); ++t) {
    const auto visible = static_cast<std::uint64_t>(job.visible(t));
    work.score_products += visible * heads;
    work.flops += 2 * visible * heads * (width + latent);
    work.bytes_read += visible * width * sizeof(float);
  }
}

}  // namespace

void attention_latent_paged(const MatrixIn& absorbed, std::uint32_t first_position, std::span<const KvRun> runs,
                            const LatentShape& shape, MatrixInOut latents, ThreadPool& threads, Work& work) {
  const Index tokens = absorbed.rows();
  const float root = std::sqrt(static_cast<float>(shape.head_dim + shape.rotary_dim));
  const Job job{absorbed, Index{first_position}, runs, shape, latents, root};
  expect_shape(absorbed, tokens, shape.heads * job.width(), "attention_latent_paged: absorbed");
  expect_shape(latents, tokens, shape.heads * shape.latent_dim, "attention_latent_paged: latents");
  expect_covered(runs, first_position, tokens, "attention_latent_paged");
  const Index pairs = tokens * shape.heads;
  threads.for_each(static_cast<std::uint32_t>((pairs + kRows - 1) / kRows), [&](std::uint32_t task) {
    const Index first = Index{task} * kRows;
    Pairs(job, first, std::min(kRows, pairs - first));
  });
  count_work(job, work);
}

}  // namespace kvarium::cpu
