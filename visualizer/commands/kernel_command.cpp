// kvarium kernel: a kernel stepped thread by thread, the Kernel tab in words.

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/words/words.h"
#include "cuda/demos/stepped_text.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/numbers.h"

namespace kvarium {
namespace {

using cuda::demos::Kernel;
using cuda::demos::Problem;
using cuda::demos::Rung;
using cuda::demos::SteppedKernel;

constexpr std::uint64_t kMostSteps = 1'000'000, kMostBlocks = 1'000'000;

struct Options {
  bool list = false;
  std::string kernel, rung, problem;
  std::string by = "stop";
  std::optional<std::uint64_t> step;  ///< none: the end
  unsigned block = 0, thread = 0;
};

void print_list() {
  for (const Kernel& kernel : cuda::demos::kernels()) {
    fmt::print("{}: {}\n", kernel.id, tr(kernel.does));
    for (const Rung& rung : kernel.rungs) {
      fmt::print("  {}: {}\n", rung.id, tr(rung.idea));
      for (const Problem& problem : rung.problems) fmt::print("    {}: {}\n", problem.id, tr(problem.title));
    }
  }
}

int run(const Options& options) {
  const cuda::demos::DemoPlace place = cuda::demos::find_demo(options.kernel, options.rung, options.problem);
  const cuda::demos::StepSize size = cuda::demos::find_step_size(options.by);
  if (options.list) {
    print_list();
    return kDone;
  }
  SteppedKernel kernel(place);
  if (options.block >= kernel.num_blocks()) {
    throw InputError(
        tr_format("there is no block {}; the grid has blocks 0 to {}", options.block, kernel.num_blocks() - 1));
  }
  if (options.thread >= kernel.threads().num_threads()) {
    throw InputError(tr_format("there is no thread {}; the block has threads 0 to {}", options.thread,
                               kernel.threads().num_threads() - 1));
  }
  kernel.use_block(options.block);
  while (!options.step || kernel.num_steps() < *options.step) {
    if (kernel.forward(size, options.thread)) continue;
    if (!options.step) break;
    throw InputError(tr_format("the kernel ends after {} steps of the size {}", kernel.num_steps(), options.by));
  }
  fmt::print("{}", cuda::demos::kernel_text(kernel, options.thread));
  return kDone;
}

}  // namespace

Command kernel_command(CLI::App& program) {
  const auto words = [](std::string_view english) { return std::string(tr(english)); };
  CLI::App* flags = program.add_subcommand("kernel", words("A kernel, stepped thread by thread (emulated, no times)"));
  flags->footer(
      words("Example: kvarium kernel --list\n"
            "Example: kvarium kernel --kernel attention_decode --rung warp_a_head --step 4"));
  const auto options = std::make_shared<Options>();
  flags->add_flag("--list", options->list, words("print the kernels, their rungs and their problems"));
  flags->add_option("--kernel", options->kernel, words("attention_decode, or another of --list"));
  flags->add_option("--rung", options->rung, words("of the kernel; none: its first"));
  flags->add_option("--problem", options->problem, words("of the rung; none: its first"));
  flags->add_option("--by", options->by, words("how far a step goes: lane, warp, stop, phase or end"))
      ->capture_default_str();
  flags->add_option("--step", options->step, words("after so many steps; none: at the end"))
      ->check(whole_number(0, kMostSteps));
  flags->add_option("--block", options->block, words("which block of the grid"))
      ->check(whole_number(0, kMostBlocks))
      ->capture_default_str();
  flags
      ->add_option("--thread", options->thread, words("whose source and warp are shown, and who takes steps of a lane"))
      ->check(whole_number(0, 1023))
      ->capture_default_str();
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
