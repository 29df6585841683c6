#include "cpu_reference/loaders/gguf_metadata.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "core/words/words.h"
#include "cpu_reference/loaders/byte_reader.h"
#include "cpu_reference/loaders/file_error.h"

namespace kvarium::cpu {
namespace {

template <typename Number>
Number number_at(std::span<const std::byte> bytes, std::uint64_t index) {
  Number number{};
  std::memcpy(&number, bytes.data() + index * sizeof(Number), sizeof(Number));
  return number;
}

/// Calls use(number) with the element `index` in its own type; false for a type that is no integer.
template <typename Use>
bool with_integer(GgufType type, std::span<const std::byte> bytes, std::uint64_t index, const Use& use) {
  switch (type) {
    case GgufType::u8:
      use(number_at<std::uint8_t>(bytes, index));
      return true;
    case GgufType::i8:
      use(number_at<std::int8_t>(bytes, index));
      return true;
    case GgufType::u16:
      use(number_at<std::uint16_t>(bytes, index));
      return true;
    case GgufType::i16:
      use(number_at<std::int16_t>(bytes, index));
      return true;
    case GgufType::u32:
      use(number_at<std::uint32_t>(bytes, index));
      return true;
    case GgufType::i32:
      use(number_at<std::int32_t>(bytes, index));
      return true;
    case GgufType::u64:
      use(number_at<std::uint64_t>(bytes, index));
      return true;
    case GgufType::i64:
      use(number_at<std::int64_t>(bytes, index));
      return true;
    default:
      return false;
  }
}

template <typename Use>
bool with_float(GgufType type, std::span<const std::byte> bytes, std::uint64_t index, const Use& use) {
  if (type == GgufType::f32) {
    use(number_at<float>(bytes, index));
  } else if (type == GgufType::f64) {
    use(number_at<double>(bytes, index));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string_view name(GgufType type) {
  static constexpr std::array<std::string_view, 13> kNames = {"u8",   "i8",   "u16",   "i16", "u32", "i32", "f32",
                                                              "bool", "text", "array", "u64", "i64", "f64"};
  return kNames.at(static_cast<std::size_t>(type));
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

void GgufMetadata::fail_kind(std::string_view key, const GgufValue& value, std::string_view expected) const {
  const std::string kind =
      value.type == GgufType::array ? tr_format("an array of {}", name(value.element)) : std::string(name(value.type));
  fail_file(file(),
            tr_format("{} is {}, expected {}: the file is damaged or from another program", key, kind, expected));
}

void GgufMetadata::fail_missing(std::string_view key) const {
  fail_file(file(), tr_format("it does not say {}: convert the model again", key));
}

std::optional<std::uint64_t> GgufMetadata::whole(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  std::uint64_t result = 0;
  bool negative = false;
  const bool is_integer = with_integer(value->type, value->bytes, 0, [&](auto number) {
    if constexpr (std::is_signed_v<decltype(number)>) negative = number < 0;
    result = static_cast<std::uint64_t>(number);
  });
  if (!is_integer) fail_kind(key, *value, tr("a whole number"));
  if (negative) fail_file(file(), tr_format("{} is below 0: the file is damaged", key));
  return result;
}

std::optional<double> GgufMetadata::real(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  double result = 0;
  const auto keep = [&](auto number) { result = static_cast<double>(number); };
  if (!with_float(value->type, value->bytes, 0, keep) && !with_integer(value->type, value->bytes, 0, keep)) {
    fail_kind(key, *value, tr("a number"));
  }
  return result;
}

std::optional<bool> GgufMetadata::boolean(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != GgufType::boolean) fail_kind(key, *value, tr("true or false"));
  const auto byte = number_at<std::uint8_t>(value->bytes, 0);
  if (byte > 1) fail_file(file(), tr_format("{} is {}, not 0 or 1: the file is damaged", key, byte));
  return byte == 1;
}

std::optional<std::string_view> GgufMetadata::text(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != GgufType::text) fail_kind(key, *value, tr("a text"));
  return ByteReader(value->bytes, file()).text(key);
}

std::optional<std::vector<std::string_view>> GgufMetadata::texts(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != GgufType::array || value->element != GgufType::text) {
    fail_kind(key, *value, tr("an array of text"));
  }
  ByteReader reader(value->bytes, file());
  std::vector<std::string_view> texts;
  texts.reserve(value->count);
  for (std::uint64_t i = 0; i < value->count; ++i) texts.push_back(reader.text(key));
  return texts;
}

std::optional<std::vector<std::int64_t>> GgufMetadata::integers(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  std::vector<std::int64_t> numbers;
  const auto keep = [&](auto number) { numbers.push_back(static_cast<std::int64_t>(number)); };
  bool fits = value->type == GgufType::array && value->element != GgufType::u64;  // whose upper half would not fit
  if (fits) numbers.reserve(value->count);
  for (std::uint64_t i = 0; i < value->count && fits; ++i) fits = with_integer(value->element, value->bytes, i, keep);
  if (!fits) fail_kind(key, *value, tr("an array of whole numbers"));
  return numbers;
}

std::optional<std::vector<float>> GgufMetadata::reals(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  std::vector<float> numbers;
  const auto keep = [&](auto number) { numbers.push_back(static_cast<float>(number)); };
  bool fits = value->type == GgufType::array;
  if (fits) numbers.reserve(value->count);
  for (std::uint64_t i = 0; i < value->count && fits; ++i) fits = with_float(value->element, value->bytes, i, keep);
  if (!fits) fail_kind(key, *value, tr("an array of f32"));
  return numbers;
}

std::uint64_t GgufMetadata::needed_whole(std::string_view key) const {
  const auto value = whole(key);
  if (!value) fail_missing(key);
  return *value;
}

std::string_view GgufMetadata::needed_text(std::string_view key) const {
  const auto value = text(key);
  if (!value) fail_missing(key);
  return *value;
}

std::vector<std::string_view> GgufMetadata::needed_texts(std::string_view key) const {
  auto value = texts(key);
  if (!value) fail_missing(key);
  return *std::move(value);
}

}  // namespace kvarium::cpu
