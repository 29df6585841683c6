#pragma once
// Traces for the tests: the small one made by hand, and Mooncake's where it was fetched.

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "core/replay/mooncake_reader.h"
#include "tests/support/shared_data.h"

namespace kvarium_test {

inline kvarium::RequestTrace read_text(const std::string& text) {
  std::istringstream in(text);
  return kvarium::read_mooncake(in, "trace.jsonl", {}, kvarium::CancelToken()).value();
}

inline kvarium::RequestTrace hand_made_trace() {
  std::ifstream in(std::string(KVARIUM_SOURCE_DIR) + "/tests/core/replay/hand_made_trace.jsonl", std::ios::binary);
  return kvarium::read_mooncake(in, "hand_made_trace.jsonl", {}, kvarium::CancelToken()).value();
}

inline std::filesystem::path synthetic_trace_path() {
  return kvarium_test::shared_data_folder() / "mooncake_synthetic_trace.jsonl";
}

/// Mooncake's synthetic trace, or its first `lines` lines; none where it was not fetched.
inline std::optional<kvarium::RequestTrace> synthetic_trace(std::size_t lines = SIZE_MAX) {
  std::ifstream in(synthetic_trace_path(), std::ios::binary);
  if (!in) return std::nullopt;
  std::string text, line;
  for (; lines > 0 && std::getline(in, line); --lines) text += line + "\n";
  return read_text(text);
}

}  // namespace kvarium_test
