// What holds for every kernel that can be stepped through.

#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "core/error.h"
#include "cuda/demos/kernel_head.h"
#include "cuda/demos/source_text.h"
#include "cuda/demos/stepped_text.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cuda::demos;
using kvarium_test::contains;

namespace {

void for_each_demo(const std::function<void(const DemoPlace&)>& look) {
  DemoPlace place;
  for (place.kernel = 0; place.kernel < kernels().size(); ++place.kernel) {
    for (place.rung = 0; place.rung < place.of_kernel().rungs.size(); ++place.rung) {
      for (place.problem = 0; place.problem < place.of_rung().problems.size(); ++place.problem) {
        INFO(place.of_kernel().id << " " << place.of_rung().id << " " << place.of_problem().id);
        look(place);
      }
    }
  }
}

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("every demo moves as many bytes as the table of its kernel says, and no fewer than the floor") {
  for_each_demo([](const DemoPlace& place) {
    const SteppedKernel kernel(place);
    CHECK(traffic(kernel.whole(), kernel.instance().counted).bytes == kernel.instance().by_table.bytes);
    CHECK(kernel.instance().by_table.bytes >= kernel.instance().floor.bytes);
  });
}

TEST_CASE("every demo comes to its end in steps of every size, and each place where a thread stands has its source") {
  for_each_demo([](const DemoPlace& place) {
    for (std::size_t size = 0; size < kStepSizes.size(); ++size) {
      SteppedKernel kernel(place);
      INFO("steps of the size " << kStepSizes[size]);
      std::set<int> lines;
      while (kernel.forward(static_cast<StepSize>(size), static_cast<unsigned>(kernel.num_steps()) % 3)) {
        for (unsigned t = 0; t < kernel.threads().num_threads(); ++t) {
          const cuda::emulator::Thread& thread = kernel.threads().thread(t);
          if (lines.count(thread.site.line) > 0 || place_words(thread).empty()) continue;
          lines.insert(thread.site.line);
          CHECK(source_lines(thread.site).size() >= static_cast<std::size_t>(thread.site.line));
        }
      }
      CHECK(kernel.threads().is_done());
      CHECK(kernel.fault().empty());
    }
  });
}

TEST_CASE("every demo writes what its equation says, and has not before it runs") {
  for_each_demo([](const DemoPlace& place) {
    const auto instance = place.of_problem().make();
    REQUIRE_FALSE(instance->outputs().empty());
    for (const Output& output : instance->outputs()) CHECK(farthest_off(output) > output.tolerance);
    cuda::emulator::run_launch(instance->launch());
    for (const Output& output : instance->outputs()) {
      INFO(output.name);
      CHECK(farthest_off(output) <= output.tolerance);
    }
    CHECK_FALSE(instance->inputs.empty());
  });
}

TEST_CASE("a number that is missing, or one too many, is off by more than any tolerance") {
  CHECK(farthest_off({"x", {1, 2}, {1, 2.5}}) == 0.5);
  CHECK(farthest_off({"x", {1, NAN}, {1, NAN}}) == 0);
  CHECK(farthest_off({"x", {NAN}, {1}}) == INFINITY);
  CHECK(farthest_off({"x", {1}, {NAN}}) == INFINITY);
  CHECK(farthest_off({"x", {1}, {1, 1}}) == INFINITY);
}

TEST_CASE("every line of a kernel that touches memory has its source in the program") {
  for_each_demo([](const DemoPlace& place) {
    const SteppedKernel kernel(place);
    for (const cuda::emulator::LineCount& line : kernel.whole().lines()) {
      const std::vector<std::string>& lines = source_lines(line.site);
      INFO(line_words(line));
      REQUIRE(lines.size() >= static_cast<std::size_t>(line.site.line));
      CHECK(lines[static_cast<std::size_t>(line.site.line) - 1].find_first_not_of(' ') != std::string::npos);
    }
  });
  CHECK(source_lines({"somewhere/else.cuh", 1}).empty());
}

TEST_CASE("the head of each kernel's file has a table with its rungs") {
  for (const Kernel& kernel : kernels()) {
    INFO(kernel.id);
    std::set<std::string> names;
    for (const HeadPart& part : head_parts(head_comment(kernel.id))) {
      for (const std::vector<std::string>& row : part.table) {
        CHECK(row.size() == part.table[0].size());
        names.insert(row[0]);
      }
      if (!part.table.empty() && part.table[0][0] == "step") names.insert("sample");
    }
    for (const Rung& rung : kernel.rungs) CHECK(names.count(rung.id) == 1);
  }
  CHECK(head_comment("softmix").empty());
}

TEST_CASE("paragraphs, equations and tables of a head are told apart") {
  const std::vector<HeadPart> parts =
      head_parts({"A sum of", "numbers:", "  s = a + b", "", "  rung   idea  bytes moved", "  plain  one   2 n",
                  "         by one", "", "n: numbers."});
  REQUIRE(parts.size() == 4);
  CHECK(parts[0].words == "A sum of numbers:");
  CHECK(parts[1].words == "s = a + b");
  CHECK(parts[2].table ==
        std::vector<std::vector<std::string>>{{"rung", "idea", "bytes moved"}, {"plain", "one by one", "2 n"}});
  CHECK(parts[3].words == "n: numbers.");
}

TEST_CASE("a demo is found by its names, and a wrong name is answered with those that there are") {
  CHECK(find_demo("", "", "") == DemoPlace{0, 0, 0});
  CHECK(find_demo("rms_norm", "block_a_token", "").of_problem().id == "2x256");
  CHECK_THAT(complaint([] { find_demo("softmix", "", ""); }), contains("attention_decode, attention_prefill"));
  CHECK_THAT(complaint([] { find_demo("rms_norm", "x", ""); }), contains("thread_a_token, warp_a_token"));
  CHECK_THAT(complaint([] { find_demo("", "", "x"); }), contains("eleven-8, eleven-4"));
  CHECK(find_step_size("phase") == StepSize::phase);
  CHECK_THAT(complaint([] { find_step_size("mile"); }), contains("lane, warp, stop, phase, end"));
}
