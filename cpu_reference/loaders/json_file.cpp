#include "cpu_reference/loaders/json_file.h"

#include <unordered_set>
#include <vector>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/mapped_file.h"

namespace kvarium::cpu {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostValues = 4'000'000;  ///< the largest tokenizer.json in use has half of them

/// Reads the text once before any value is kept. The library's own callback could do this, but it walks through all
/// neighbours of every object that closes, which takes hours on a file of many small ones.
class Checker final : public nlohmann::json_sax<Json> {
 public:
  Checker(int deepest, const std::string& file) : deepest_(deepest), file_(file) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool start_object(std::size_t) override {
    open();
    keys_.emplace_back();
    return count();
  }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) {
      fail_file(file_, tr_format("the key {} is given twice: the file is damaged", shown(name)));
    }
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    open();
    return count();
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  void open() {
    if (++depth_ <= deepest_) return;
    fail_file(file_, tr_format("its JSON is nested more than {} deep: the file is damaged", deepest_));
  }
  bool count() {
    if (++values_ <= kMostValues) return true;
    fail_file(file_, tr_format("its JSON has more than {} values: the file is damaged", kMostValues));
  }

  int deepest_;
  const std::string& file_;
  int depth_ = 0;
  std::uint64_t values_ = 0;
  std::vector<std::unordered_set<std::string>> keys_;  ///< of the objects that are open, outermost first
};

}  // namespace

nlohmann::json parse_json(std::string_view text, int deepest, const std::string& file) {
  Checker checker(deepest, file);
  if (!Json::sax_parse(text.begin(), text.end(), &checker)) {
    fail_file(file, std::string(tr("its JSON is not valid: the file is damaged or of another format")));
  }
  return Json::parse(text.begin(), text.end());
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
