#pragma once
// What a GGUF file says of its model besides the numbers: sizes, the tokenizer, the template of a chat.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_reference/loaders/mapped_file.h"

namespace kvarium::cpu {

/// As the file numbers them.
enum class GgufType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

/// "u32", "text"
std::string_view name(GgufType type);

/// A value as it lies in the file: it is converted when somebody asks for it.
struct GgufValue {
  GgufType type = GgufType::u8;
  GgufType element = GgufType::u8;   ///< of an array
  std::uint64_t count = 1;           ///< of elements
  std::span<const std::byte> bytes;  ///< of the value, or of the elements one behind the other
};

/// Keys and values, in the mapped file. Each getter returns nothing where the key is missing, and throws InputError
/// naming file, key and both types where its value is of another kind.
class GgufMetadata {
 public:
  GgufMetadata() = default;
  /// The values must lie in `file`, complete and checked.
  GgufMetadata(std::shared_ptr<const MappedFile> file, std::map<std::string, GgufValue, std::less<>> values)
      : file_(std::move(file)), values_(std::move(values)) {}

  /// The name of the file, for errors.
  std::string file() const { return file_ == nullptr ? std::string() : file_->name(); }
  bool has(std::string_view key) const { return values_.count(key) != 0; }
  const std::map<std::string, GgufValue, std::less<>>& values() const { return values_; }

  std::optional<std::uint64_t> whole(std::string_view key) const;  ///< any integer type; InputError below 0
  std::optional<double> real(std::string_view key) const;          ///< any float or integer type
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;

  std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;  ///< an array of any integer type
  std::optional<std::vector<float>> reals(std::string_view key) const;            ///< an array of f32 or f64

  /// The same, for keys that must be there: InputError naming the key.
  std::uint64_t needed_whole(std::string_view key) const;
  std::string_view needed_text(std::string_view key) const;
  std::vector<std::string_view> needed_texts(std::string_view key) const;

 private:
  const GgufValue* find(std::string_view key) const;
  [[noreturn]] void fail_kind(std::string_view key, const GgufValue& value, std::string_view expected) const;
  [[noreturn]] void fail_missing(std::string_view key) const;

  std::shared_ptr<const MappedFile> file_;
  std::map<std::string, GgufValue, std::less<>> values_;
};

}  // namespace kvarium::cpu
