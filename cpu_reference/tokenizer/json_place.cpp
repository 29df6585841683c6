#include "cpu_reference/tokenizer/json_place.h"

#include <fmt/format.h>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"

namespace kvarium::cpu {

JsonPlace JsonPlace::at(std::string_view key) const {
  static const nlohmann::json kNull;
  const std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  if (is_null()) return {kNull, file_, path};
  if (!value_->is_object()) fail_kind(tr("an object"));
  const auto found = value_->find(std::string(key));
  return {found == value_->end() ? kNull : *found, file_, path};
}

JsonPlace JsonPlace::at(std::size_t row) const {
  if (row >= size()) fail_kind(tr("a longer array"));
  return {(*value_)[row], file_, fmt::format("{}[{}]", path_, row)};
}

std::size_t JsonPlace::size() const {
  if (!value_->is_array()) fail_kind(tr("an array"));
  return value_->size();
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) fail_kind(tr("true or false"));
  return value_->get<bool>();
}

const std::string& JsonPlace::text() const {
  if (!value_->is_string()) fail_kind(tr("a text"));
  return value_->get_ref<const std::string&>();
}

std::int32_t JsonPlace::whole(std::int32_t most) const {
  const bool fits = value_->is_number_unsigned() && value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (!fits) fail_kind(tr_format("a whole number from 0 to {}", most));
  return static_cast<std::int32_t>(value_->get<std::uint64_t>());
}

const JsonPlace& JsonPlace::object() const {
  if (!value_->is_object()) fail_kind(tr("an object"));
  return *this;
}

void JsonPlace::fail(std::string_view what) const {
  fail_file(file_, path_.empty() ? std::string(what) : fmt::format("{}: {}", path_, what));
}

void JsonPlace::fail_kind(std::string_view expected) const {
  fail(tr_format("{} is expected, not {}", expected, value_->is_null() ? tr("nothing") : value_->type_name()));
}

}  // namespace kvarium::cpu
