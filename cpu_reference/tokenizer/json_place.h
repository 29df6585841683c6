#pragma once
// A value of a JSON file with the way to it, so that an error can say where something is wrong.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kvarium::cpu {

/// Each getter throws InputError naming the file and the place when the value is of another kind.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, std::string file) : JsonPlace(value, std::move(file), {}) {}

  /// The member of an object, null when it is missing.
  JsonPlace at(std::string_view key) const;
  JsonPlace at(std::size_t row) const;  ///< of an array
  std::size_t size() const;             ///< of an array

  bool is_null() const { return value_->is_null(); }
  bool is_text() const { return value_->is_string(); }
  bool is_array() const { return value_->is_array(); }
  bool is_object() const { return value_->is_object(); }
  const nlohmann::json& value() const { return *value_; }

  bool boolean() const;
  bool boolean_or(bool fallback) const { return is_null() ? fallback : boolean(); }
  const std::string& text() const;
  /// A whole number from 0 to `most`.
  std::int32_t whole(std::int32_t most) const;
  /// An object; InputError otherwise.
  const JsonPlace& object() const;

  /// InputError: "model file NAME: pre_tokenizer.type: WHAT".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  JsonPlace(const nlohmann::json& value, std::string file, std::string path)
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}
  [[noreturn]] void fail_kind(std::string_view expected) const;

  const nlohmann::json* value_;
  std::string file_;
  std::string path_;
};

}  // namespace kvarium::cpu
