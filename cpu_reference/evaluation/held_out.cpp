#include "cpu_reference/evaluation/held_out.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/replay/json_line.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kLargestGroup = 1U << 24U;  ///< tokens or items: longer than any context

class HeldOutReader {
 public:
  HeldOutReader(LineReader& lines, std::size_t limit) : lines_(lines), limit_(limit) {}

  HeldOutSet read() {
    while (lines_.next()) {
      add(parse_object(lines_, tr("no JSON object: each text stands in braces, one a line"), tr("one object a line")));
    }
    return std::move(set_);
  }

 private:
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
    return static_cast<std::uint32_t>(
        whole_number(lines_, member(line, name), fmt::format("\"{}\"", name), kLargestGroup));
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

std::optional<HeldOutSet> read_held_out_file(const std::string& path, std::size_t limit, const OnProgress& on_progress,
                                             const CancelToken& cancel) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError(
        tr_format("held-out set {}: {}: give a file of JSON lines", path, std::strerror(errno == 0 ? EIO : errno)));
  }
  return read_held_out(file, path, limit, on_progress, cancel);
}

std::filesystem::path shipped_held_out() { return KVARIUM_SHIPPED_HELD_OUT; }

}  // namespace kvarium::cpu
