// One query over eleven keys, stepped: the numbers that the window shows, computed by the kernel.

#include <cmath>
#include <string>
#include <vector>

#include "cuda/kernels/attention_decode.cuh"
#include "cuda/simt/emulator/stepper.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::make_launch;
using emulator::Stepper;
using emulator::Thread;
using kvarium::KvLayout;

namespace {

/// Scores 1 3 2 0 | 5 4 1 2 | 0 6 3, values 1 to 11, blocks of 4 with the table 7 3 12. The heads have one dimension
/// and the query is 1, so that a key is its score.
struct ElevenKeys {
  ElevenKeys() {
    const std::vector<float> scores = {1, 3, 2, 0, 5, 4, 1, 2, 0, 6, 3};
    std::vector<float> key_cache(std::size_t{13} * 4, NAN), value_cache = key_cache;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      key_cache[table[j / 4] * 4 + j % 4] = scores[j];
      value_cache[table[j / 4] * 4 + j % 4] = static_cast<float>(j + 1);
    }
    keys.upload(key_cache.data(), key_cache.size());
    values.upload(value_cache.data(), value_cache.size());
  }

  AttentionDecode<float> call() {
    AttentionDecode<float> call;
    call.queries = query.ptr();
    call.kv = {keys.ptr(), values.ptr(), KvLayout{4, 1, 1}, {tables.ptr(), 3, 13}};
    call.lengths = lengths.ptr();
    call.out = out.ptr();
    call.sequences = 1;
    call.query_heads = 1;
    return call;
  }

  std::vector<unsigned> table = {7, 3, 12};
  DeviceBuffer<unsigned> tables{table, "tables"}, lengths{std::vector<unsigned>{11}, "lengths"};
  DeviceBuffer<float> query{std::vector<float>{1}, "query"};
  DeviceBuffer<float> keys{std::size_t{13} * 4, "keys"}, values{std::size_t{13} * 4, "values"};
  DeviceBuffer<float> out{1, "out"};
};

double shown(const Thread& thread, const std::string& name) {
  for (const auto& number : thread.shown) {
    if (number.name == name) return number.value;
  }
  return NAN;
}

/// Steps until every thread stands at this pause, or until all have returned: then false.
bool step_to(Stepper& stepper, const std::string& label) {
  const auto stands_there = [&](unsigned t) {
    return stepper.thread(t).state == emulator::ThreadState::paused && stepper.thread(t).waits_at == label;
  };
  for (;;) {
    bool has_run = false, are_all_there = true;
    for (unsigned t = 0; t < stepper.num_threads(); ++t) {
      if (!stands_there(t)) has_run = stepper.step_lane(t) || has_run;
    }
    for (unsigned t = 0; t < stepper.num_threads(); ++t) are_all_there = are_all_there && stands_there(t);
    if (are_all_there) return true;
    if (!has_run) return false;
  }
}

struct Pass {
  std::vector<double> slots, scores;  ///< of the lanes with a key
  double m, l, acc, alpha;            ///< after it, in lane 0
};

template <int lanes>
std::vector<Pass> passes(ElevenKeys& problem) {
  const AttentionDecode<float> call = problem.call();
  Stepper stepper(make_launch(attention_decode_warp<float, lanes>, attention_decode_warp_grid(call), lanes, 0, call));
  std::vector<Pass> result;
  while (step_to(stepper, "pass")) {
    Pass pass{};
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const double score = shown(stepper.thread(lane), "score");
      if (score == -INFINITY) continue;
      pass.scores.push_back(score);
      pass.slots.push_back(shown(stepper.thread(lane), "slot"));
    }
    pass.m = shown(stepper.thread(0), "m");
    pass.l = shown(stepper.thread(0), "l");
    pass.acc = shown(stepper.thread(0), "acc");
    pass.alpha = shown(stepper.thread(0), "alpha");
    result.push_back(pass);
    for (unsigned t = 0; t < stepper.num_threads(); ++t) stepper.step_lane(t);  // off the pause
  }
  while (stepper.step_phase()) {
  }
  CHECK(stepper.is_done());
  return result;
}

/// To four decimals, half of a unit in the last of them off.
void check_state(const Pass& pass, double m, double l, double acc, double alpha) {
  CHECK(pass.m == m);
  CHECK(std::fabs(pass.l - l) <= 5e-5);
  CHECK(std::fabs(pass.acc - acc) <= 5e-5);
  CHECK(std::fabs(pass.alpha - alpha) <= 5e-5);
}

}  // namespace

TEST_CASE("attention_decode, stepped: a warp of 8 takes eleven keys in two passes, the second with 3 of 8 lanes") {
  ElevenKeys problem;
  const std::vector<Pass> steps = passes<8>(problem);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].slots == std::vector<double>{28, 29, 30, 31, 12, 13, 14, 15});
  CHECK(steps[0].scores == std::vector<double>{1, 3, 2, 0, 5, 4, 1, 2});
  CHECK(steps[1].slots == std::vector<double>{48, 49, 50});
  CHECK(steps[1].scores == std::vector<double>{0, 6, 3});
  check_state(steps[0], 5, 1.6462, 8.1991, 0);
  check_state(steps[1], 6, 1.6579, 13.5862, 0.3679);
  CHECK(std::fabs(problem.out.download()[0] - 8.195079F) <= 1e-6F);
}

TEST_CASE("attention_decode, stepped: a warp of 4 takes one block in each pass, a whole warp all keys at once") {
  ElevenKeys problem;
  const std::vector<Pass> blocks = passes<4>(problem);
  REQUIRE(blocks.size() == 3);
  check_state(blocks[0], 3, 1.5530, 3.4381, 0);
  check_state(blocks[1], 5, 1.6462, 8.1991, 0.1353);
  check_state(blocks[2], 6, 1.6579, 13.5862, 0.3679);
  CHECK(std::fabs(problem.out.download()[0] - 8.195079F) <= 1e-6F);
  const std::vector<Pass> whole = passes<32>(problem);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].slots.size() == 11);
  check_state(whole[0], 6, 1.6579, 13.5862, 0);
  CHECK(std::fabs(problem.out.download()[0] - 8.195079F) <= 1e-6F);
}
