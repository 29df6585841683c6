#pragma once
// Runs a program as a shell does.

#include <string>

namespace kvarium_test {

struct Outcome {
  int exit_code = -1;  ///< 128 + n when signal n ended it
  std::string out;
  std::string error;
};

/// `arguments` as they would be typed after the program's name; may hold quotes, pipes and redirections of the shell.
/// Standard input is empty.
Outcome run_program(const std::string& program, const std::string& arguments);

/// A path for a file of this test program; what was there is removed. Only letters, digits and dots in `name`.
std::string scratch(const std::string& name);

/// The bytes of a file; empty when there is none.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace kvarium_test
