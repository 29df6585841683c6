// The program kvarium: finds the subcommand, and turns every error into one line and an exit code.

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/words/words.h"
#include "visualizer/app/options.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/shown_flags.h"
#include "visualizer/platform/window.h"
#include "visualizer/ui/driver.h"

namespace kvarium {
namespace {

int fail(const std::string& line, ExitCode code) {
  fmt::print(stderr, "kvarium: {}\n", line);
  return code;
}

int run_program(int argc, const char* const* argv) {
  CLI::App program(std::string(tr("Watch the KV cache of a language model at work.")), "kvarium");
  program.footer(
      std::string(tr("Example: kvarium text --scenario S02 --step 1\n"
                     "Each command has its own --help with an example.")));
  program.require_subcommand(0, 1);
  ui::ShownOptions shown;
  add_shown_flags(program, shown);
  const std::vector<Command> commands{view_command(program),     text_command(program),       metrics_command(program),
                                      why_command(program),      generate_command(program),   beam_command(program),
                                      replay_command(program),   bytes_command(program),      roofline_command(program),
                                      tokenize_command(program), perplexity_command(program), eval_command(program),
                                      heads_command(program),    speculate_command(program),  kernel_command(program)};
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    return fail(line.substr(0, line.find('\n')) + std::string(tr(" (kvarium --help lists what there is)")), kBadInput);
  }
  for (const Command& command : commands) {
    if (command.flags->parsed()) return command.run();
  }
  return ui::run_window(shown);
}

/// A full disk is an error; a reader who has seen enough (kvarium ... | head) is none.
int output_failed(int error, int code) {
  if (error == EPIPE) return code;
  return fail(tr_format("cannot write to standard output: {}", std::strerror(error)), kBadInput);
}

}  // namespace
}  // namespace kvarium

int main(int argc, char** argv) {
  using namespace kvarium;
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write that the commands notice
  try {
    const int code = run_program(argc, argv);
    return std::fflush(stdout) == 0 ? code : output_failed(errno, code);
  } catch (const InputError& error) {
    return fail(error.what(), kBadInput);
  } catch (const ui::NoDisplay& error) {
    return fail(error.what(), kNoDisplay);
  } catch (const ui::ScriptFailed& error) {
    return fail(error.what(), kBug);
  } catch (const std::system_error& error) {  // fmt::print could not write
    return output_failed(error.code().value(), kDone);
  } catch (const std::bad_alloc&) {
    return fail(std::string(tr("not enough memory for that: choose a smaller pool, model or prompt")), kBadInput);
  } catch (const std::exception& error) {
    return fail(tr_format("this is a bug, please report it: {}", error.what()), kBug);
  }
}
