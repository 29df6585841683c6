#include "cuda/demos/attention_prefill_demo.h"

#include "core/words/words.h"
#include "cuda/demos/list.h"
#include "cuda/demos/paged_problem.h"
#include "cuda/kernels/attention_prefill.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr unsigned kDim = 16;
constexpr float kLog2E = 1.44269504F;

unsigned rows_of(PrefillStep step) {
  return step == PrefillStep::naive ? 1 : step == PrefillStep::tiled ? kTiledRows : kMmaRows;
}

/// Keys whose K and V are read for a row, summed over rows (naive) or tiles of rows.
std::size_t keys_read(PrefillStep step, const PrefillSize& size) {
  std::size_t keys = 0;
  const unsigned tile = rows_of(step);
  for (unsigned first = 0; first < size.rows(); first += tile) {
    const unsigned last = std::min(first + tile, size.rows()) - 1;
    keys += size.past + last / size.query_heads + 1;
  }
  return keys;
}

template <typename T, PrefillStep step>
class PrefillInstance : public Instance {
 public:
  explicit PrefillInstance(const PrefillSize& size)
      : memory_(paged_problem({8, 1, kDim}, size.past + size.added, size.added, size.query_heads)),
        starts_("starts", {0, static_cast<float>(size.added)}),
        past_("past", {static_cast<float>(size.past)}),
        out_(memory_.problem().queries.size(), "out") {
    batch_ = {memory_.queries(), out_.ptr(), memory_.kv(), starts_.ptr(), past_.ptr()};
    batch_.sequences = 1;
    batch_.most_new = size.added;
    batch_.query_heads = size.query_heads;
    const std::size_t row = keys_read(step, size) * memory_.problem().row_bytes(sizeof(T));
    by_table = step == PrefillStep::naive ? ByteFormula{"3 n d s a row", 3 * row}
                                          : ByteFormula{tr_format("2 n d s for {} rows", rows_of(step)), 2 * row};
    floor = {"2 n d s", 2 * memory_.problem().tokens * memory_.problem().row_bytes(sizeof(T))};
    counted = {"keys", "values"};
    paged = memory_.paged();
    inputs = memory_.inputs();
  }

  emulator::KernelLaunch launch() override {
    const unsigned rows = batch_.most_new * batch_.query_heads, tile = rows_of(step);
    const dim3 grid{(rows + tile - 1) / tile, 1, 1};
    const float scale = memory_.problem().scale;
    if constexpr (step == PrefillStep::naive) {
      return emulator::make_launch(attention_prefill_naive<T, kDim>, grid, kNaiveThreads, 0, batch_, scale);
    } else if constexpr (step == PrefillStep::tiled) {
      return emulator::make_launch(attention_prefill_tiled<T, kDim>, grid, kTiledThreads, 0, batch_, scale * kLog2E);
    } else {
      return emulator::make_launch(attention_prefill_mma<T, kDim>, grid, kMmaThreads, MmaShared<T, kDim>::kBytes,
                                   batch_, scale * kLog2E);
    }
  }
  std::vector<Output> outputs() const override {
    // f16 rounds results by 2^-11 of themselves, and rung mma the weights as well: of values up to 1.5.
    const double rounded = sizeof(T) == sizeof(float) ? 0 : 1.5 * 0x1p-10;
    return {written("out", out_, exact_attention(memory_.problem(), kDim),
                    attention_tolerance(memory_.problem()) + rounded)};
  }

 private:
  PagedMemory<T> memory_;
  Given<unsigned> starts_, past_;
  DeviceBuffer<T> out_;
  AttentionPrefill<T> batch_;
};

template <typename T, PrefillStep step>
Rung rung(std::string id, std::string idea, std::string problem, std::string title, const PrefillSize& size) {
  return {std::move(id), std::move(idea), {{std::move(problem), std::move(title), [size] {
                                              return std::make_unique<PrefillInstance<T, step>>(size);
                                            }}}};
}

}  // namespace

std::unique_ptr<Instance> prefill_instance(PrefillStep step, const PrefillSize& size) {
  switch (step) {
    case PrefillStep::naive:
      return std::make_unique<PrefillInstance<f16, PrefillStep::naive>>(size);
    case PrefillStep::tiled:
      return std::make_unique<PrefillInstance<f16, PrefillStep::tiled>>(size);
    case PrefillStep::mma:
      return std::make_unique<PrefillInstance<f16, PrefillStep::mma>>(size);
  }
  return nullptr;
}

Kernel attention_prefill_demos() {
  Kernel kernel{"attention_prefill", "attention of a prompt, or of a piece of one, over the paged cache", {}};
  kernel.rungs.push_back(rung<float, PrefillStep::naive>("naive", "a warp a row: every row reads K and V for itself",
                                                         "4-after-8", "4 tokens after 8, 2 query heads", {8, 4, 2}));
  kernel.rungs.push_back(rung<float, PrefillStep::tiled>("tiled", "32 rows share tiles of 16 keys in shared memory",
                                                         "16-after-4", "16 tokens after 4, 2 query heads", {4, 16, 2}));
  kernel.rungs.push_back(rung<f16, PrefillStep::mma>("mma", "128 rows share tiles of 64 keys, by matrix instructions",
                                                     "16-after-56", "16 tokens after 56, 8 query heads, f16",
                                                     {56, 16, 8}));
  return kernel;
}

}  // namespace kvarium::cuda::demos
