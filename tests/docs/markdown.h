#pragma once
// What a Markdown text claims about the repository: names between backticks, links, and commands to type.

#include <string>
#include <vector>

namespace kvarium_test {

struct Quoted {
  std::string text;
  std::size_t line = 0;  ///< from 1
};

/// What stands between single backticks, outside fenced blocks.
std::vector<Quoted> code_spans(const std::string& markdown);

/// The lines of fenced blocks (between ``` lines).
std::vector<Quoted> fenced_lines(const std::string& markdown);

/// The targets of [text](target) that are files: no address of the web, no place in the same page.
std::vector<Quoted> link_targets(const std::string& markdown);

}  // namespace kvarium_test
