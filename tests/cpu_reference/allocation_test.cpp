// Decoding allocates nothing once it is under way. A program of its own: it counts every allocation of the process.

#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>

#include "core/blocks/block_pool.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"
#include "cpu_reference/operators/linear.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/support/catch.h"
#include "tests/support/model_of_type.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

std::atomic<std::uint64_t> allocations{0};  // of all threads

}  // namespace

// operator new and Eigen both end in malloc(). The sanitizer has a hook for it; without the sanitizer this program's
// own malloc() stands before the C library's.
#if defined(__SANITIZE_ADDRESS__)  // g++
#define KVARIUM_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define KVARIUM_ADDRESS_SANITIZER
#endif
#endif

#if defined(KVARIUM_ADDRESS_SANITIZER)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                                         void (*free_hook)(const volatile void*));
namespace {
void count(const volatile void*, std::size_t) { allocations.fetch_add(1, std::memory_order_relaxed); }
void ignore(const volatile void*) {}
const bool kCounts = __sanitizer_install_malloc_and_free_hooks(count, ignore) != 0;
}  // namespace
#elif defined(__GLIBC__)
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
namespace {
const bool kCounts = true;
}
#else
namespace {
const bool kCounts = false;
}
#endif

namespace {

constexpr std::uint32_t kWarmUp = 3;  // tokens
constexpr std::uint32_t kTokens = 40;
constexpr std::uint32_t kBlockSize = 4;

std::shared_ptr<const Model> small_model(WeightType type) {
  return kvarium_test::model_of_type(*kvarium_test::seeded_model({}), type);
}

/// Allocations of kTokens steps of all sequences together, after kWarmUp.
std::uint64_t allocations_of_decoding(const Model& model, std::deque<PagedKvSequence>& caches, std::uint32_t threads) {
  const Transformer transformer(model);
  Workspace workspace(threads);
  const TokenId token{5};
  std::vector<SequenceInput> batch;
  for (PagedKvSequence& cache : caches) batch.push_back({{&token, 1}, &cache});
  std::vector<Work> work(batch.size());
  for (std::uint32_t i = 0; i < kWarmUp; ++i) transformer.forward(batch, workspace, work);
  const std::uint64_t before = allocations;
  for (std::uint32_t i = 0; i < kTokens; ++i) transformer.forward(batch, workspace, work);
  return allocations - before;
}

}  // namespace

TEST_CASE("the counter of allocations counts those of new and of Eigen") {
  if (!kCounts) {
    WARN("allocations are not counted with this C library");
    return;
  }
  const std::uint64_t before = allocations;
  const std::vector<int> numbers(100);
  const std::uint64_t by_new = allocations - before;
  const Matrix matrix = Matrix::Constant(10, 10, static_cast<float>(numbers[7]));
  const std::uint64_t by_both = allocations - before;
  CHECK(by_new == 1);
  CHECK(by_both == 2);
  CHECK(matrix.sum() == 0.0F);
}

TEST_CASE("decoding allocates nothing after the first tokens, with any type of weights and number of threads") {
  constexpr std::uint32_t kBlocks = (kWarmUp + kTokens) / kBlockSize + 1;
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::q8_0, WeightType::q4_0}) {
    for (const std::uint32_t threads : {1U, 3U}) {
      INFO(name(type) << ", " << threads << " threads");
      const auto model = small_model(type);
      PagedKvStore store(model->config.shape, kBlocks, kBlockSize);
      const std::vector<BlockId> table = ascending_order(kBlocks);
      std::deque<PagedKvSequence> caches;
      caches.emplace_back(store, table, 0);
      CHECK(allocations_of_decoding(*model, caches, threads) == 0);
    }
  }
}

TEST_CASE("decoding with latent attention allocates nothing after the first tokens") {
  constexpr std::uint32_t kBlocks = (kWarmUp + kTokens) / kBlockSize + 1;
  ModelConfig config = kvarium_test::small_llama();
  config.shape.context = kWarmUp + kTokens;
  kvarium_test::make_latent(config, 32, 4);
  const Model in_f32 = kvarium_test::random_model(config, 1);
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
    for (const std::uint32_t threads : {1U, 3U}) {
      INFO(name(type) << ", " << threads << " threads");
      const auto model = kvarium_test::model_of_type(in_f32, type);
      PagedKvStore store(config.shape, kBlocks, kBlockSize);
      const std::vector<BlockId> table = ascending_order(kBlocks);
      std::deque<PagedKvSequence> caches;
      caches.emplace_back(store, table, 0);
      CHECK(allocations_of_decoding(*model, caches, threads) == 0);
    }
  }
}

TEST_CASE("decoding eight requests together allocates nothing after the first tokens") {
  constexpr std::uint32_t kBlocks = (kWarmUp + kTokens) / kBlockSize + 1;
  const auto model = small_model(WeightType::f32);
  PagedKvStore store(model->config.shape, 8 * kBlocks, kBlockSize);
  const std::vector<BlockId> blocks = ascending_order(8 * kBlocks);
  std::deque<PagedKvSequence> caches;
  for (std::uint32_t i = 0; i < 8; ++i) {
    caches.emplace_back(store, std::span(blocks).subspan(i * kBlocks, kBlocks), 0);
  }
  CHECK(allocations_of_decoding(*model, caches, 1) == 0);
}

TEST_CASE("a linear layer over few tokens allocates nothing") {
  const auto model = small_model(WeightType::q5_1);
  const WeightMatrix& weight = model->weights.head;
  ThreadPool threads(2);
  Work work;
  const Matrix x = Matrix::Ones(kFewTokens, weight.columns);
  Matrix y(kFewTokens, weight.rows);
  linear(x, weight, y, threads, work);  // a thread that starts allocates for itself
  const std::uint64_t before = allocations;
  linear(x, weight, y, threads, work);
  const std::uint64_t made = allocations - before;
  CHECK(made == 0);
}
