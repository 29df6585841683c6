#include <algorithm>
#include <sstream>

#include "core/cost/claims.h"
#include "core/error.h"
#include "core/trace/invariants.h"
#include "core/trace/trace.h"
#include "cuda/demos/stepped_kernel.h"
#include "lessons/kit/lesson.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/terminal_front.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::contains;

namespace {

/// What the lesson prints when it is piped.
std::string transcript(const char* id) {
  std::istringstream in;
  std::ostringstream out;
  TerminalFront front(in, out, {});
  NullSink record;
  LessonKit kit(front, record);
  find_lesson(id).run(kit);
  CHECK(kit.failures().empty());
  return out.str();
}

/// Lines joined as they were before the terminal broke them.
std::string unwrapped(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

template <typename E>
std::size_t count(const Trace& trace) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) found += std::holds_alternative<E>(trace[i]) ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("lesson 01 draws the triangle of recomputation and says what it cost") {
  const std::string text = transcript("01");
  CHECK_THAT(text, contains("       2  xxxxxxxxx           ========#\n"));
  CHECK_THAT(text, contains("       8  xxxxxxxxxxxxxxx     ==============#\n"));
  CHECK_THAT(text, contains("    sum   92                  15\n"));
  CHECK_THAT(text, contains("Answer: 92. B computed 15: 6.13 times fewer."));
  CHECK_THAT(text, contains("from 596 to 120, 4.97 times."));
}

TEST_CASE("lesson 04 finds 17 tokens in blocks 7, 3 and 12") {
  const std::string text = transcript("04");
  CHECK_THAT(text, contains("table[0] = block 7   positions  0 to  7, 8 of 8 slots filled\n"));
  CHECK_THAT(text, contains("table[2] = block 12  positions 16 to 23, 1 of 8 slots filled\n"));
  CHECK_THAT(text, contains("13 / 8 = 1 -> table[1] = 3 -> 3 * 8 + 13 % 8 = 29"));
  CHECK_THAT(text, contains("     12 [A_______]   13 [........]   14 [........]   15 [........]\n"));
  CHECK_THAT(text, contains("             8           9.7 %            18\n"));
}

TEST_CASE("lesson 05 shows the tables before and after the copies") {
  const std::string text = transcript("05");
  CHECK_THAT(text, contains("C  [7,3,12] 20 tokens\n"));
  CHECK_THAT(text, contains("free 5 9 14 1 10 0 15 6 2 13 8 4 11 | used 3x3 7x3 12x3\n"));
  CHECK_THAT(text, contains("A  [7,3,5] 21 tokens\n"));
  CHECK_THAT(text, contains("B  [7,3,9] 21 tokens\n"));
}

TEST_CASE("lesson 06 finds whole blocks, keeps tenants apart and sees through a collision") {
  const std::string text = transcript("06");
  CHECK_THAT(text, contains("Answer: 32."));
  CHECK_THAT(text, contains("Another salt, other names."));
  CHECK_THAT(text, contains("The names are equal"));
}

TEST_CASE("lesson 07 draws the tree before and after the leaf went") {
  const std::string text = transcript("07");
  CHECK_THAT(text, contains("+- The little girl                   3 tokens, slots 0 1 2\n"));
  CHECK_THAT(text, contains("      +- box in the                  3 tokens, slots 8 9 10\n"));
  CHECK_THAT(text, contains("+- One day my friend                 4 tokens, slots 14 15 8 9\n"));
}

TEST_CASE("lesson 08 counts the hits of five policies on nine prompts") {
  const std::string text = transcript("08");
  CHECK_THAT(text, contains("cache, the next one to go first:   2  3  1  0\n"));
  CHECK_THAT(text, contains("cache, the next one to go first:   1  0  5  4\n"));
  CHECK_THAT(text, contains("length-aware      12   as lfu"));
  CHECK_THAT(text, contains("fifo               8   the block"));
}

TEST_CASE("lesson 09 prints both timelines and what a preemption costs") {
  const std::string text = transcript("09");
  CHECK_THAT(text, contains("   4  B C           D E"));  // static
  CHECK_THAT(text, contains("   4  B C D         E"));    // continuous
  CHECK_THAT(text, contains("   5  A B C         D"));    // preempted
}

TEST_CASE("lesson 11 takes drafts back in both caches, and counts a right and a wrong rule") {
  const std::string text = transcript("11");
  CHECK_THAT(text, contains("Answer: as long."));
  CHECK_THAT(text, contains("           0       1        11   [7,3,12]     returned, 4 slots stale\n"));
  CHECK_THAT(text, contains("           1       2        12   [7,3,12]     returned, 4 slots stale\n"));
  CHECK_THAT(text, contains("           2       3        13   [7,3,12,5]   kept, 3 slots stale\n"));
  CHECK_THAT(text, contains("           5       6        16   [7,3,12,5]   kept, 0 slots stale\n"));
  CHECK_THAT(text, contains("Answer: 0.40."));
  CHECK_THAT(text, contains("max(p - q, 0), divided by its sum         0.000  0.667  0.167  0.167\n"));
  CHECK_THAT(text, contains("where the wrong rule leads                0.700  0.300\n"));
  for (const char* line : {"3           2.95", "5           3.69", "8           4.33"})
    CHECK_THAT(text, contains(line));
  CHECK_THAT(unwrapped(text), contains(find_claim("F20").why));
}

TEST_CASE("lesson 14 adds scores one by one and counts what three attentions move") {
  const std::string text = transcript("14");
  CHECK_THAT(text, contains("score ln 4, value 5    max 1.3863   sum 2.0000   out  6.7500   out / sum 3.3750\n"));
  CHECK_THAT(text, contains("Answer: 18432."));
  CHECK_THAT(text, contains(" 256     1.06 MiB             466 KiB             289 KiB\n"));
  CHECK_THAT(text, contains("Answer: 4. Counted: 3.7."));
  CHECK_THAT(text, contains("that leaves 10 of 16."));
}

TEST_CASE("lesson 15 walks a warp through the block table, pass by pass") {
  const std::string text = unwrapped(transcript("15"));
  CHECK_THAT(text, contains("Answer: 49."));
  CHECK_THAT(text, contains("slot    28  29  30  31 |  12  13  14  15 |  48  49  50"));
  CHECK_THAT(text, contains("max = 5, sum = 1.6462, out = 8.1991"));
  CHECK_THAT(text, contains("11 of 16, 68.75 % busy."));
  CHECK_THAT(text, contains("(3, 1.5530, 3.4381), (5, 1.6462, 8.1991), (6, 1.6579, 13.5862)"));
  CHECK_THAT(text, contains("out / sum = 8.195079."));
}

TEST_CASE("lesson 16 keeps a state that does not grow, and shows what it forgets") {
  const std::string text = transcript("16");
  CHECK_THAT(text, contains("tokens that is 2.00 KiB, in its last step 3.75 KiB"));
  CHECK_THAT(text, contains("Answer: 4160."));
  CHECK_THAT(text, contains("1,048,576     1.00 GiB           4.00 MiB  64.5 KiB     64.0 KiB\n"));
  CHECK_THAT(text, contains("Answer: softmax attention."));
}

TEST_CASE("lesson 17 climbs a ladder of kernels and counts what each brings") {
  const std::string text = transcript("17");
  CHECK_THAT(text, contains("plain       512 KiB       1.0"));
  CHECK_THAT(text, contains("tiled      16.0 KiB      32.0"));
  CHECK_THAT(text, contains("mma        6.00 KiB      85.3"));
  CHECK_THAT(text, contains("naive      1.41 MiB       1.0"));
  CHECK_THAT(text, contains("tiled      30.5 KiB      47.4"));
  CHECK_THAT(text, contains("mma        8.00 KiB     180.8"));
  CHECK_THAT(text, contains("  9     4   4   5   5   6   6   7   7\n"));
}

TEST_CASE("a transcript is plain text of at most 80 columns, figures included") {
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.id);
    const std::string text = transcript(lesson.id.c_str());
    CHECK(text.find('\x1b') == std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      const bool is_tokens = line.find("[<|begin|>]") != std::string::npos;  // as long as the text is
      CHECK((columns(line) <= 84 || is_tokens));
    }
  }
}

TEST_CASE("a recorded lesson holds its words, its questions and a run that breaks no invariant") {
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.id);
    Trace trace;
    record_lesson(lesson, trace);
    CHECK(count<LessonStarted>(trace) == 1);
    CHECK(count<Said>(trace) >= 8);
    CHECK(count<Asked>(trace) >= 3);
    CHECK(trace.num_steps() >= 5);
    CHECK(violations(trace.newest()).empty());
  }
}

TEST_CASE("what a lesson points at is there when it points") {
  for (const Lesson& lesson : lessons()) {
    Trace trace;
    record_lesson(lesson, trace);
    World world;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      fold(world, trace[i]);
      if (!std::holds_alternative<Said>(trace[i])) continue;
      for (const std::string& point : world.said->points) {
        INFO(lesson.id << ": " << point << " in: " << world.said->text);
        const std::string kind = point.substr(0, point.find(':'));
        const std::string rest = point.substr(point.find(':') + 1);
        if (kind == "block") CHECK(std::stoul(rest) < world.blocks.size());
        if (kind == "slot") CHECK(std::stoul(rest) < world.blocks.size() * world.block_size);
        if (kind == "request") CHECK(static_cast<std::size_t>(rest.at(0) - 'A') < world.requests.size());
        if (kind == "table") {
          const auto request = static_cast<std::size_t>(rest.at(0) - 'A');
          REQUIRE(request < world.requests.size());
          CHECK(std::stoul(rest.substr(2)) < world.requests[request]->table.size());
        }
        if (kind == "kernel") {
          const auto step = cuda::demos::parse_step_point(point);
          REQUIRE(step);
          cuda::demos::SteppedKernel kernel(step->place);
          for (std::size_t n = 0; n < step->steps; ++n) CHECK(kernel.forward(step->size));
        }
        const std::vector<std::string> kinds{"block", "slot", "request", "table", "tab", "kernel"};
        CHECK(std::find(kinds.begin(), kinds.end(), kind) != kinds.end());
      }
    }
  }
}

TEST_CASE("a lesson is found by its number or its id") {
  CHECK(find_lesson("4").id == "04_paged_blocks");
  CHECK(find_lesson("01_why_a_cache").id == "01_why_a_cache");
  CHECK_THROWS_WITH(find_lesson("99"), contains("04_paged_blocks, 05_sharing_and_copy_on_write"));
}

TEST_CASE("lesson 02 sets prefill beside decode, counted and on a processor") {
  const std::string text = transcript("02");
  CHECK_THAT(text, contains("Answer: 17. For the whole prompt at once."));
  CHECK_THAT(text, contains("989 TFLOP/s and 3.35 TB/s"));
  CHECK_THAT(text, contains("62.2 ms"));
  CHECK_THAT(text, contains("4.64 ms"));
}

TEST_CASE("lesson 03 counts a token and corrects rows F01 to F08") {
  const std::string text = transcript("03");
  CHECK_THAT(text, contains("Answer: 3072. 2 * 6 * 2 * 32 * 4 = 3072."));
  CHECK_THAT(text, contains("2,147,483,648 B"));
  for (const char* id : {"F01", "F02", "F03", "F04", "F05", "F06", "F07", "F08"}) {
    const std::string why = find_claim(id).why;
    INFO(id);
    CHECK_THAT(unwrapped(text), contains(why));
  }
}

TEST_CASE("lesson 10 compares six models and leads into both traps") {
  const std::string text = transcript("10");
  CHECK_THAT(text, contains("falcon-7b      MQA         8.00 KiB        256 MiB    71.0\n"));
  CHECK_THAT(text, contains("deepseek-v3    MLA         68.6 KiB       2.14 GiB   241.8\n"));
  CHECK_THAT(unwrapped(text), contains("not head dim = 2560 / 32 = 80, so 2 * 36 * 8 * 80 * 2 = 90.0 KiB."));
  CHECK_THAT(unwrapped(text), contains("not 2 * 61 * 512 * 2 = 122 KiB."));
  for (const char* id : {"F03", "F06", "F22"}) CHECK_THAT(unwrapped(text), contains(find_claim(id).why));
}
