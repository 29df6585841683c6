#pragma once
// The subcommands of the program kvarium, one a file. Each registers its flags and returns what to run if it is chosen.

#include <CLI/CLI.hpp>
#include <functional>

#include "core/trace/world.h"

namespace kvarium {

/// What the program returns to the shell.
using ExitCode = int;
inline constexpr ExitCode kDone = 0;
inline constexpr ExitCode kBug = 1;        ///< a broken precondition of our own code
inline constexpr ExitCode kBadInput = 2;   ///< a flag, a file, a prompt: one line on standard error says which
inline constexpr ExitCode kNoDisplay = 3;  ///< the window has no screen to open on
inline constexpr ExitCode kStopped = 130;  ///< Ctrl-C, as shells count it: 128 + SIGINT

struct Command {
  CLI::App* flags;
  std::function<int()> run;
};

Command view_command(CLI::App& program);
Command text_command(CLI::App& program);
Command metrics_command(CLI::App& program);
Command why_command(CLI::App& program);
Command generate_command(CLI::App& program);
Command beam_command(CLI::App& program);
Command replay_command(CLI::App& program);
Command bytes_command(CLI::App& program);
Command roofline_command(CLI::App& program);
Command tokenize_command(CLI::App& program);
Command heads_command(CLI::App& program);
Command perplexity_command(CLI::App& program);
Command eval_command(CLI::App& program);
Command speculate_command(CLI::App& program);
Command kernel_command(CLI::App& program);

/// The state and the first requests of it, in words.
void print_text_twin(const World& world);

}  // namespace kvarium
