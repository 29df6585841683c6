#pragma once
// Runs the program as a shell does.

#include <string>

namespace kvarium_test {

struct Outcome {
  int exit_code = -1;  ///< 128 + n when signal n ended it
  std::string out;
  std::string error;
};

/// `arguments` as they would be typed after "kvarium"; may hold quotes, pipes and redirections of the shell.
Outcome run_kvarium(const std::string& arguments);

/// A path for a file of this test program, removed first. Only letters and digits in `name`.
std::string scratch(const std::string& name);

/// The bytes of a file; empty when there is none.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace kvarium_test
