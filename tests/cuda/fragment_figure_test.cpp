// The figures of fragments in docs/kernels.md, compared with the functions that kernels and the emulator use.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cuda/simt/fragment.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;

namespace {

/// The lines of one figure: in row r and cell c the lane, and the letter of the register, that hold the numbers of
/// columns 2 c and 2 c + 1. `row` and `column` give the place of number i of a lane.
std::vector<std::string> figure(const std::string& name, int num_rows, int num_cells, int numbers_of_lane,
                                int (*row)(int lane, int i), int (*column)(int lane, int i)) {
  std::vector<std::string> lines;
  for (int r = 0; r < num_rows; ++r) {
    lines.push_back(name + (r < 10 ? "  " : " ") + std::to_string(r) + " |");
    for (int c = 0; c < num_cells; ++c) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < numbers_of_lane; i += 2) {
          if (row(lane, i) != r || column(lane, i) != 2 * c) continue;
          CHECK(row(lane, i + 1) == r);
          CHECK(column(lane, i + 1) == 2 * c + 1);
          const std::string cell = std::to_string(lane) + static_cast<char>('a' + i / 2);
          lines.back() += std::string(5 - cell.size(), ' ') + cell;
        }
      }
    }
  }
  return lines;
}

std::string document() {
  std::ifstream file(KVARIUM_SOURCE_DIR "/docs/kernels.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the figures of fragments in the documents are those of the kernels") {
  const std::string text = document();
  std::vector<std::string> lines = figure("A", 16, 8, 8, a_row, a_column);
  for (const std::string& line : figure("B", 8, 8, 4, b_column, b_row)) lines.push_back(line);  // transposed
  for (const std::string& line : figure("C", 16, 4, 4, c_row, c_column)) lines.push_back(line);
  REQUIRE(lines.size() == 40);
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(text.find("\n" + line + "\n") != std::string::npos);
  }
}
