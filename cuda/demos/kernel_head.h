#pragma once
// The comment at the head of a kernel's file: what it computes, and the table of its rungs.

#include <string>
#include <string_view>
#include <vector>

namespace kvarium::cuda::demos {

/// Its lines without the marks of a comment; empty when no such kernel is in the program.
std::vector<std::string> head_comment(std::string_view kernel);

/// A paragraph, an equation, or a table.
struct HeadPart {
  std::string words;
  std::vector<std::vector<std::string>> table;  ///< rows of cells, the first with its captions; empty: there are words
};
/// Lines that begin with two blanks are equations, each by itself, or, where the first begins with "rung" or "step", a
/// table, whose captions have two blanks between them and stand where their columns begin.
std::vector<HeadPart> head_parts(const std::vector<std::string>& comment);

}  // namespace kvarium::cuda::demos
