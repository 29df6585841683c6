#include "tests/support/run_program.h"
#include "tests/support/temp_path.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kvarium_test {

std::string scratch(const std::string& name) {
  // Tests of one program run side by side in processes of their own.
  const auto path = kvarium_test::temp_path(name);
  std::filesystem::remove_all(path);
  return path.string();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

Outcome run_program(const std::string& program, const std::string& arguments) {
  const std::string out = scratch("out");
  const std::string error = scratch("error");
  const std::string line = "'" + program + "' " + arguments;
  const int status = std::system(("{ " + line + "\n} >'" + out + "' 2>'" + error + "' </dev/null").c_str());
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_file(out);
  outcome.error = read_file(error);
  std::filesystem::remove(out);
  std::filesystem::remove(error);
  return outcome;
}

}  // namespace kvarium_test
