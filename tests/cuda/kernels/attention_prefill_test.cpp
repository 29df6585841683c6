// The rungs of attention_prefill against double and the CPU reference.

#include "cuda/kernels/attention_prefill.cuh"

#include <cstring>
#include <string>
#include <vector>

#include "cpu_reference/attention/cached.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/prefill_problem.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using namespace kvarium_test;
using emulator::CopyTime;

namespace {

template <typename T>
std::vector<PrefillRung> rungs() {
  if (std::is_same_v<T, float>) return {PrefillRung::naive, PrefillRung::tiled};
  return {PrefillRung::naive, PrefillRung::tiled, PrefillRung::mma};
}

std::vector<PrefillLength> lengths(const std::vector<unsigned>& pasts, const std::vector<unsigned>& added) {
  std::vector<PrefillLength> all;
  for (const unsigned past : pasts) {
    for (const unsigned tokens : added) all.push_back({past, tokens});
  }
  return all;
}

template <typename T>
void check_rungs(const PrefillProblem<T>& problem) {
  for (const PrefillRung rung : rungs<T>()) {
    INFO("rung " << static_cast<int>(rung) << ", block size " << problem.layout.block_size << ", "
                 << problem.query_heads << " heads on " << problem.layout.kv_heads << " of " << problem.layout.head_dim
                 << ", " << sizeof(T) << " bytes");
    CHECK(problem.worst(rung, problem.run(rung)) <= 1);
  }
}

template <typename T>
void check_head_dims() {
  for (const unsigned head_dim : {16U, 32U, 64U, 128U}) {
    check_rungs(PrefillProblem<T>({2, {8, 1, head_dim}}, {{0, 17}, {37, 1}, {5, 33}}));
  }
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Whether a rung gives the same bits in every order of threads, wherever its copies land.
template <typename T>
bool is_reproducible(const PrefillProblem<T>& problem, PrefillRung rung) {
  const std::vector<T> wanted = problem.run(rung);
  for (const auto order : kOrders) {
    for (const CopyTime copies : {CopyTime::lazy, CopyTime::eager}) {
      emulator::Emulation options;
      options.order = order;
      options.copies = copies;
      const emulator::UseEmulation use(options);
      if (!same_bits(problem.run(rung), wanted)) return false;
    }
  }
  return true;
}

/// What the CPU reference gives for the new tokens of one sequence.
std::vector<float> on_cpu(const PrefillProblem<float>& problem, unsigned sequence) {
  const kvarium::KvLayout& layout = problem.layout;
  const PrefillLength& length = problem.lengths[sequence];
  const std::size_t row_size = std::size_t{problem.query_heads} * layout.head_dim;
  kvarium::cpu::Matrix queries(length.added, static_cast<kvarium::cpu::Index>(row_size));
  std::copy_n(problem.queries.data() + problem.starts[sequence] * row_size, length.added * row_size, queries.data());
  std::vector<kvarium::cpu::KvRun> runs;
  for (unsigned position = 0; position < length.past + length.added; position += layout.block_size) {
    const std::size_t row = problem.row(sequence, position, 0);
    runs.push_back({problem.keys.data() + row, problem.values.data() + row,
                    std::min(layout.block_size, length.past + length.added - position)});
  }
  kvarium::Work work;
  const kvarium::cpu::Matrix out = kvarium::cpu::attention_cached(
      queries, length.past, runs, {problem.query_heads, layout.kv_heads, layout.head_dim}, work);
  return {out.data(), out.data() + out.size()};
}

}  // namespace

TEST_CASE("attention_prefill: every rung gives the equation's result, for all lengths of past and new tokens") {
  const std::vector<PrefillLength> all = lengths({0, 1, 16, 37}, {1, 17, 33, 100});
  check_rungs(PrefillProblem<float>({1, {8, 1, 16}}, all));
  check_rungs(PrefillProblem<bf16>({1, {16, 1, 32}}, all));
  check_rungs(PrefillProblem<f16>({1, {5, 1, 16}}, all));
}

TEST_CASE("attention_prefill: heads of 16, 32, 64 and 128 numbers, in every type") {
  check_head_dims<float>();
  check_head_dims<f16>();
  check_head_dims<bf16>();
}

TEST_CASE("attention_prefill: blocks of any size, 1 to 8 query heads a KV head") {
  unsigned group = 1;
  for (const unsigned block_size : {4U, 5U, 8U, 16U, 32U}) {
    check_rungs(PrefillProblem<float>({2 * group, {block_size, 2, 16}}, lengths({0, 13}, {1, 19})));
    check_rungs(PrefillProblem<bf16>({2 * group, {block_size, 2, 16}}, lengths({0, 13}, {1, 19})));
    group = group == 8 ? 1 : 2 * group;
  }
}

TEST_CASE("attention_prefill: the kernels and the CPU reference agree") {
  const PrefillProblem<float> problem({4, {8, 2, 32}}, {{0, 20}, {37, 5}, {3, 1}});
  std::vector<float> reference;
  for (unsigned s = 0; s < problem.lengths.size(); ++s) {
    const std::vector<float> part = on_cpu(problem, s);
    reference.insert(reference.end(), part.begin(), part.end());
  }
  CHECK(problem.worst(PrefillRung::naive, reference) <= 1);
  for (const PrefillRung rung : rungs<float>()) CHECK(problem.worst(rung, problem.run(rung)) <= 1);
}

TEST_CASE("attention_prefill: one result, bit for bit, in every order of threads and whenever copies land") {
  const std::vector<PrefillLength> batch = {{0, 33}, {70, 9}};
  const PrefillProblem<float> in_float({2, {8, 1, 16}}, batch);
  const PrefillProblem<bf16> in_bf16({2, {8, 1, 16}}, batch);
  for (const PrefillRung rung : rungs<float>()) CHECK(is_reproducible(in_float, rung));
  for (const PrefillRung rung : rungs<bf16>()) CHECK(is_reproducible(in_bf16, rung));
}

TEST_CASE("attention_prefill: a chunk after a chunk gives what the whole prompt gives") {
  const PrefillProblem<float> whole({2, {4, 1, 16}}, {{0, 24}});
  for (const PrefillRung rung : rungs<float>()) {
    PrefillProblem<float> chunk = whole;
    const std::size_t first = std::size_t{15} * 2 * 16;
    chunk.lengths = {{15, 9}};
    chunk.past = {15};
    chunk.starts = {0, 9};
    chunk.queries.erase(chunk.queries.begin(), chunk.queries.begin() + first);
    const std::vector<float> all = whole.run(rung);
    CHECK(same_bits(chunk.run(rung), std::vector<float>(all.begin() + first, all.end())));
  }
}
