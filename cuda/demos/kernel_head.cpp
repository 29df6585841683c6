#include "cuda/demos/kernel_head.h"

#include "cuda/demos/source_text.h"

namespace kvarium::cuda::demos {
namespace {

constexpr std::string_view kIndent = "  ";

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

/// Where the columns begin under these captions.
std::vector<std::size_t> columns_of(const std::string& captions) {
  std::vector<std::size_t> columns;
  for (std::size_t i = kIndent.size(); i < captions.size(); ++i) {
    const bool begins = captions[i] != ' ' && captions.compare(i - kIndent.size(), kIndent.size(), kIndent) == 0;
    if (begins) columns.push_back(i);
  }
  return columns;
}

/// A line that has nothing in its first column goes on with the row before it.
void add_row(HeadPart& part, const std::vector<std::size_t>& columns, const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t end = i + 1 < columns.size() ? columns[i + 1] : std::string::npos;
    const std::size_t count = end == std::string::npos ? end : end - columns[i];
    cells.push_back(columns[i] < line.size() ? trimmed(std::string_view(line).substr(columns[i], count)) : "");
  }
  if (!cells[0].empty()) return part.table.push_back(cells);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (!cells[i].empty()) part.table.back()[i] += " " + cells[i];
  }
}

}  // namespace

std::vector<std::string> head_comment(std::string_view kernel) {
  constexpr std::string_view kMark = "//";
  std::vector<std::string> comment;
  for (const std::string& line : source_lines({("cuda/kernels/" + std::string(kernel) + ".cuh").c_str(), 1})) {
    if (starts_with(line, kMark)) {
      comment.push_back(line.size() > kMark.size() ? line.substr(kMark.size() + 1) : "");
    } else if (!comment.empty()) {
      break;
    }
  }
  return comment;
}

std::vector<HeadPart> head_parts(const std::vector<std::string>& comment) {
  std::vector<HeadPart> parts;
  std::vector<std::size_t> columns;  // of the table that is read; empty outside of one
  bool goes_on = false;              // the paragraph
  for (const std::string& line : comment) {
    const bool is_indented = starts_with(line, kIndent);
    if (!is_indented) columns.clear();
    if (line.empty()) {
      goes_on = false;
    } else if (starts_with(line, "  rung ") || starts_with(line, "  step ") || !columns.empty()) {
      if (columns.empty()) {
        columns = columns_of(line);
        parts.emplace_back();
      }
      add_row(parts.back(), columns, line);
    } else if (is_indented || !goes_on) {
      parts.push_back({trimmed(line), {}});
      goes_on = !is_indented;
    } else {
      parts.back().words += " " + trimmed(line);
    }
  }
  return parts;
}

}  // namespace kvarium::cuda::demos
