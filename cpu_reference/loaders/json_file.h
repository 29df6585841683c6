#pragma once
// JSON out of files that nobody has checked.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kvarium::cpu {

constexpr std::uint64_t kLongestJson = 64ULL << 20;  ///< bytes; the largest tokenizer.json in use has a third of it

/// The value in `text`. InputError naming `file`: no valid JSON, nested more than `deepest` deep, of more values than
/// any model's files have, or an object with the same key twice (which other readers take for the last one, or the
/// first).
nlohmann::json parse_json(std::string_view text, int deepest, const std::string& file);

/// The file's whole text as parse_json() reads it. InputError, besides, when it is missing or over kLongestJson.
nlohmann::json read_json_file(const std::filesystem::path& path, int deepest);

}  // namespace kvarium::cpu
