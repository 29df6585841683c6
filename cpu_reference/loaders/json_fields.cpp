#include "cpu_reference/loaders/json_fields.h"

#include <limits>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"

namespace kvarium::cpu {

JsonFields::JsonFields(const nlohmann::json& object, std::string file, std::string prefix)
    : object_(&object), file_(std::move(file)), prefix_(std::move(prefix)) {
  if (!object.is_object()) fail_file(file_, std::string(tr("it is no JSON object: it is no model's config.json")));
}

void JsonFields::fail(const std::string& field, const std::string& what) const {
  fail_file(file_, prefix_ + field + ": " + what);
}

void JsonFields::fail_kind(const std::string& field, std::string_view expected) const {
  fail(field, tr_format("it is {}, expected {}", shown(object_->at(field).dump(-1, ' ', true)), expected));
}

void JsonFields::fail_missing(const std::string& field) const {
  fail(field, std::string(tr("it is missing: take the config.json of the model's own folder")));
}

const nlohmann::json* JsonFields::find(const std::string& field) const {
  const auto found = object_->find(field);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::uint32_t> JsonFields::whole(const std::string& field) const {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > kMost) {
    fail_kind(field, tr("a whole number from 0 to 4294967295"));
  }
  return value->get<std::uint32_t>();
}

std::uint32_t JsonFields::needed_whole(const std::string& field) const {
  const auto value = whole(field);
  if (!value) fail_missing(field);
  return *value;
}

std::optional<double> JsonFields::real(const std::string& field) const {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) fail_kind(field, tr("a number"));
  return value->get<double>();
}

double JsonFields::needed_real(const std::string& field) const {
  const auto value = real(field);
  if (!value) fail_missing(field);
  return *value;
}

std::optional<bool> JsonFields::flag(const std::string& field) const {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) fail_kind(field, tr("true or false"));
  return value->get<bool>();
}

std::optional<std::string> JsonFields::text(const std::string& field) const {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail_kind(field, tr("a text"));
  return value->get<std::string>();
}

std::optional<std::vector<std::string>> JsonFields::texts(const std::string& field) const {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  bool fits = value->is_array();
  for (std::size_t i = 0; fits && i < value->size(); ++i) {
    fits = value->at(i).is_string();
    if (fits) texts.push_back(value->at(i).get<std::string>());
  }
  if (!fits) fail_kind(field, tr("a list of texts"));
  return texts;
}

std::optional<JsonFields> JsonFields::object(const std::string& field) const {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) fail_kind(field, tr("an object"));
  return JsonFields(*value, file_, prefix_ + field + ".");
}

}  // namespace kvarium::cpu
