#pragma once
// A line of a file that holds one JSON object: how it is read, and what is said of one that is wrong.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/replay/line_reader.h"

namespace kvarium {

/// The reader's current line. InputError, naming it, when it is no JSON object: `no_object` and `one_a_line` say in
/// words what is wrong and what should stand there.
nlohmann::json parse_object(const LineReader& lines, std::string_view no_object, std::string_view one_a_line);
/// InputError, naming the line and the value by `name`, unless it is a whole number from 0 to `most`.
std::uint64_t whole_number(const LineReader& lines, const nlohmann::json& given, std::string_view name,
                           std::uint64_t most);
/// A value as a message shows it: ASCII, at most 43 characters, lists and objects left out.
std::string shortened(const nlohmann::json& given);

}  // namespace kvarium
