#include "cpu_reference/loaders/json_file.h"

#include <unordered_set>
#include <vector>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/mapped_file.h"

namespace kvarium::cpu {

nlohmann::json parse_json(std::string_view text, int deepest, const std::string& file) {
  using Json = nlohmann::json;
  std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open, outermost first
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    // An object or array tells its depth before it opens: at most `deepest` of them are open at once.
    const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= deepest) {
      fail_file(file, tr_format("its JSON is nested more than {} deep: the file is damaged", deepest));
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      fail_file(file, tr_format("the key {} is given twice: the file is damaged", shown(value.get<std::string>())));
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception&) {
    fail_file(file, std::string(tr("its JSON is not valid: the file is damaged or of another format")));
  }
}

nlohmann::json read_json_file(const std::filesystem::path& path, int deepest) {
  const MappedFile file(path);
  if (file.bytes().size() > kLongestJson) {
    fail_file(file.name(), tr_format("{} bytes of JSON are more than {}: the file is damaged or of another format",
                                     file.bytes().size(), kLongestJson));
  }
  return parse_json({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, deepest, file.name());
}

}  // namespace kvarium::cpu
