#pragma once
// The fields of a JSON object by name, with one clear error for each that is of the wrong kind.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace kvarium::cpu {

/// A view of an object of a config.json. A field that is null counts as missing. Errors are InputErrors with the file
/// and the field's name.
class JsonFields {
 public:
  /// InputError unless `object` is one. `prefix` stands before the names in errors: "rope_scaling.".
  JsonFields(const nlohmann::json& object, std::string file, std::string prefix = "");

  const std::string& file() const { return file_; }
  bool has(const std::string& field) const { return find(field) != nullptr; }
  /// Whole numbers from 0 to 2^32 - 1.
  std::optional<std::uint32_t> whole(const std::string& field) const;
  std::uint32_t needed_whole(const std::string& field) const;
  std::optional<double> real(const std::string& field) const;  ///< any number
  double needed_real(const std::string& field) const;
  std::optional<bool> flag(const std::string& field) const;
  std::optional<std::string> text(const std::string& field) const;
  std::optional<std::vector<std::string>> texts(const std::string& field) const;
  std::optional<JsonFields> object(const std::string& field) const;

  /// InputError: the field, and what is wrong with it.
  [[noreturn]] void fail(const std::string& field, const std::string& what) const;

 private:
  const nlohmann::json* find(const std::string& field) const;
  [[noreturn]] void fail_kind(const std::string& field, std::string_view expected) const;
  [[noreturn]] void fail_missing(const std::string& field) const;

  const nlohmann::json* object_;
  std::string file_;
  std::string prefix_;
};

}  // namespace kvarium::cpu
