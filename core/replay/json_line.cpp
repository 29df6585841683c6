#include "core/replay/json_line.h"

#include "core/words/words.h"

namespace kvarium {

using Json = nlohmann::json;

Json parse_object(const LineReader& lines, std::string_view no_object, std::string_view one_a_line) {
  try {
    Json line = Json::parse(lines.line());
    if (!line.is_object()) lines.fail(std::string(no_object));
    return line;
  } catch (const Json::parse_error& error) {
    lines.fail(tr_format("no valid JSON at character {}: {}", error.byte, one_a_line));
  } catch (const Json::out_of_range&) {
    lines.fail(std::string(tr("a number in it is too large")));
  }
}

std::uint64_t whole_number(const LineReader& lines, const Json& given, std::string_view name, std::uint64_t most) {
  if (!given.is_number_unsigned() || given.get<std::uint64_t>() > most) {
    lines.fail(tr_format("{} is {}: a whole number from 0 to {} is needed", name, shortened(given), most));
  }
  return given.get<std::uint64_t>();
}

std::string shortened(const Json& given) {
  constexpr std::size_t kLongest = 40;  // characters of a value that a message shows
  if (given.is_structured()) return given.is_array() ? "[...]" : "{...}";
  const std::string text = given.dump(-1, ' ', true, Json::error_handler_t::replace);  // ASCII: any byte can be cut
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace kvarium
