// S07 and the five requests of the two timelines.

#include "lessons/kit/batch_figures.h"
#include "tests/lessons/scenario_support.h"

using namespace kvarium;
using kvarium_test::Run;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2}, kD{3};
using Set = std::vector<std::string>;

std::vector<std::string> batches(const Run& run) {
  std::vector<std::string> all;
  for (const World& world : run.after_steps()) all.push_back(batch_of(world));
  return all;
}

std::vector<std::size_t> free_blocks(const Run& run) {
  std::vector<std::size_t> all;
  for (const World& world : run.after_steps()) all.push_back(world.free_blocks.size());
  return all;
}

std::vector<std::vector<TokenId>> answers(const Run& run) {
  std::vector<std::vector<TokenId>> all;
  for (const auto& request : run.end().requests) all.push_back(request->tokens);
  return all;
}

}  // namespace

TEST_CASE("S07: free blocks 7, 5, 5, 1; then D is preempted and comes back when B has ended") {
  const Run run("S07");
  CHECK(batches(run) ==
        std::vector<std::string>{"AB", "ABC", "ABC", "ABCD", "ABC", "ABC", "ABC", "ABC", "ABC", "AB", "AD", "AD", "D"});
  const std::vector<std::size_t> free = free_blocks(run);
  CHECK(std::vector<std::size_t>(free.begin(), free.begin() + 4) == std::vector<std::size_t>{7, 5, 5, 1});

  std::size_t preempted_at = 0;
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const auto* preempted = std::get_if<RequestPreempted>(&run.trace[i]);
    if (preempted == nullptr) continue;
    preempted_at = i;
    CHECK(preempted->request == kD);
    CHECK(preempted->lost_tokens == 12);
  }
  const World before = run.trace.world_at(run.trace.start_of_step(5));
  const World after = run.trace.world_at(preempted_at + 1);
  CHECK(before.request(kD).table.size() == 3);
  CHECK(after.free_blocks.size() == before.free_blocks.size() + 3);

  // Steps count from 1 here. Counted from 0, as in the guides: preempted in 4, C ends in 8, B in 9, D returns in 10.
  CHECK(run.end().request(kC).ended_step == 9);
  CHECK(run.end().request(kB).ended_step == 10);
  CHECK(run.end().request(kA).ended_step == 12);
  CHECK(run.end().request(kD).admitted_step == 11);
  CHECK(run.after_step(11).request(kD).new_count == 13);
  CHECK(run.end().request(kD).ended_step == 13);
  CHECK(run.trace.num_steps() == 13);
}

TEST_CASE("S07: a request that is swapped loses nothing and computes one token when it returns") {
  const Run run("S07", Set{"preemption=swap"});
  CHECK(run.count<KvSwappedOut>() == 1);
  CHECK(run.count<KvSwappedIn>() == 1);
  const World back = run.after_step(run.end().request(kD).admitted_step);
  CHECK(back.request(kD).new_count == 1);
  CHECK(back.request(kD).computed_tokens == 13);
  CHECK(answers(run) == answers(Run("S07")));
}

TEST_CASE("S07: whoever schedules, the answers are the same") {
  const auto expected = answers(Run("S07"));
  for (const char* scheduler : {"continuous", "static", "longest-prefix", "depth-first", "priority"}) {
    INFO(scheduler);
    CHECK(answers(Run("S07", Set{"scheduler=" + std::string(scheduler)})) == expected);
  }
  CHECK(answers(Run("S07", Set{"prefix_cache=hash"})) == expected);
  CHECK(answers(Run("S07", Set{"prefix_cache=radix"})) == expected);
}

TEST_CASE("S07: with less budget a prompt is cut into chunks, or waits for a step with room") {
  const Run chunked("S07", Set{"token_budget=10"});
  CHECK(chunked.after_step(1).request(kA).new_count == 9);
  CHECK(chunked.after_step(1).request(kB).new_count == 1);
  CHECK(chunked.after_step(2).request(kB).new_count == 5);
  const Run whole("S07", Set{"token_budget=10", "scheduler=continuous"});
  CHECK(whole.after_step(1).request(kB).status == RequestStatus::waiting);
  CHECK(whole.after_step(2).request(kB).new_count == 6);
}

TEST_CASE("S07: with priorities D, the most important, is not the one that gives way") {
  const Run run("S07", Set{"scheduler=priority"});
  CHECK(run.end().request(kD).preemptions == 0);
  CHECK(run.end().request(kC).preemptions > 0);
}

TEST_CASE("continuous batching: whoever waits takes the place of whoever ends, in the next step") {
  const Run run("batching");
  CHECK(batches(run) == std::vector<std::string>{"ABC", "ABC", "ABC", "BCD", "BCD", "BDE", "BDE", "DE"});
  CHECK(waiting_steps(run.after_steps()) == std::vector<std::uint64_t>{0, 0, 0, 3, 5});
}

TEST_CASE("static batching: D and E start when B, the longest of the first batch, is done") {
  const Run run("batching", Set{"scheduler=static"});
  CHECK(batches(run) ==
        std::vector<std::string>{"ABC", "ABC", "ABC", "BC", "BC", "B", "B", "DE", "DE", "DE", "D", "D"});
  CHECK(waiting_steps(run.after_steps()) == std::vector<std::uint64_t>{0, 0, 0, 7, 7});
  CHECK(answers(run) == answers(Run("batching")));
}

TEST_CASE("the figures say who ran and who waited") {
  const std::vector<World> steps = Run("batching").after_steps();
  CHECK(batch_figure({steps[0], steps[3], steps[7]}) ==
        "step  in the batch  waiting     free blocks\n"
        "   1  A B C         D E          13\n"
        "   4  B C D         E            11\n"
        "   8  D E           -            16");
  CHECK(waiting_figure({}) == "request  arrived after step  ended in step  steps waited");
  CHECK_THAT(waiting_figure(steps),
             kvarium_test::contains("\nE                         0              8             5"));
}
