#pragma once
// Numbers on the command line. CLI11 turns "-4" into a huge unsigned number and cuts one that is too long: here both
// are an error that names the range.

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

#include "core/words/words.h"

namespace kvarium {

/// Lets through what is a whole number from `low` to `high`.
inline CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const auto complaint = [low, high](const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = problem == std::errc() && end == text.data() + text.size();
    if (whole && number >= low && number <= high) return std::string();
    return tr_format("\"{}\" is no whole number from {} to {}", text, low, high);
  };
  return CLI::Validator(complaint, "");
}

}  // namespace kvarium
