#include "cpu_reference/evaluation/held_out.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/replay/line_reader.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kLargestGroup = 1U << 24U;  ///< tokens or items: longer than any context

class HeldOutReader {
 public:
  HeldOutReader(LineReader& lines, std::size_t limit) : lines_(lines), limit_(limit) {}

  HeldOutSet read() {
    while (lines_.next()) add(parse());
    return std::move(set_);
  }

 private:
  Json parse() const {
    try {
      Json line = Json::parse(lines_.line());
      if (!line.is_object()) lines_.fail(std::string(tr("no JSON object: each text stands in braces, one a line")));
      return line;
    } catch (const Json::parse_error& error) {
      lines_.fail(tr_format("no valid JSON at character {}: one object a line", error.byte));
    } catch (const Json::out_of_range&) {
      lines_.fail(std::string(tr("a number in it is too large")));
    }
  }

  void add(const Json& line) {
    const std::string kind = text(line, "kind");
    if (kind == "story") {
      std::string story = text(line, "text");
      if (set_.stories.size() < limit_) set_.stories.push_back(std::move(story));
    } else if (kind == "recall") {
      keep(set_.recalls, recalls_of_, recitation(line, "distance"));
    } else if (kind == "list") {
      keep(set_.lists, lists_of_, recitation(line, "items"));
    } else {
      lines_.fail(tr_format("kind is {}: give \"story\", \"recall\" or \"list\"", shortened(line.at("kind"))));
    }
    if (bytes_ > kMostHeldOutBytes) {
      lines_.fail(tr_format("the texts so far have more than {} bytes: give a smaller file", kMostHeldOutBytes));
    }
  }

  RecitationText recitation(const Json& line, const char* group) {
    return {text(line, "prompt"), text(line, "answer"), whole(line, group)};
  }

  void keep(std::vector<RecitationText>& texts, std::map<std::uint32_t, std::size_t>& kept, RecitationText text) const {
    if (kept[text.group]++ < limit_) texts.push_back(std::move(text));
  }

  const Json& member(const Json& line, const char* name) const {
    const auto at = line.find(name);
    if (at == line.end()) lines_.fail(tr_format("\"{}\" is missing: add it", name));
    return *at;
  }

  std::string text(const Json& line, const char* name) {
    const Json& given = member(line, name);
    if (!given.is_string()) {
      lines_.fail(tr_format("\"{}\" is {}: a text in quotes is needed", name, shortened(given)));
    }
    auto words = given.get<std::string>();
    if (words.empty()) lines_.fail(tr_format("\"{}\" is empty: give it a text", name));
    bytes_ += words.size();
    return words;
  }

  std::uint32_t whole(const Json& line, const char* name) const {
    const Json& given = member(line, name);
    if (!given.is_number_unsigned() || given.get<std::uint64_t>() > kLargestGroup) {
      lines_.fail(
          tr_format("\"{}\" is {}: a whole number from 0 to {} is needed", name, shortened(given), kLargestGroup));
    }
    return given.get<std::uint32_t>();
  }

  static std::string shortened(const Json& given) {
    constexpr std::size_t kLongest = 40;  // characters of a value that a message shows
    if (given.is_structured()) return given.is_array() ? "[...]" : "{...}";
    const std::string text = given.dump(-1, ' ', true, Json::error_handler_t::replace);  // ASCII: any byte can be cut
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  }

  LineReader& lines_;
  std::size_t limit_;
  HeldOutSet set_;
  std::map<std::uint32_t, std::size_t> recalls_of_, lists_of_;  // how many there were of each group
  std::size_t bytes_ = 0;                                       // of all texts read
};

}  // namespace

std::optional<HeldOutSet> read_held_out(std::istream& in, const std::string& name, std::size_t limit,
                                        const OnProgress& on_progress, const CancelToken& cancel) {
  LineReader lines(in, name, on_progress, cancel);
  HeldOutSet set = HeldOutReader(lines, limit).read();
  if (lines.cancelled()) return std::nullopt;
  if (set.size() == 0) throw InputError(tr_format("{}: no text in it: give one JSON object a line", name));
  return set;
}

std::filesystem::path shipped_held_out() { return KVARIUM_SHIPPED_HELD_OUT; }

}  // namespace kvarium::cpu
