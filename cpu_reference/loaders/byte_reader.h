#pragma once
// Reads a file's numbers and strings one after the other, and never past its end.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace kvarium::cpu {

static_assert(std::endian::native == std::endian::little, "model files are read as they lie: little-endian");

/// Every length is compared with what is left before it is used. `what` names the thing in the error.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return bytes_.size() - position_; }
  const std::string& file() const { return file_; }

  /// The next `count` bytes. InputError when fewer are left.
  std::span<const std::byte> take(std::uint64_t count, std::string_view what);

  template <typename Number>
  Number number(std::string_view what) {
    static_assert(std::is_arithmetic_v<Number>);
    Number value{};
    std::memcpy(&value, take(sizeof(Number), what).data(), sizeof(Number));
    return value;
  }

  /// A string of GGUF: 64 bits of length, then so many bytes. The view points into the file.
  std::string_view text(std::string_view what);

  /// InputError unless `count` things of at least `least_bytes` each can be left: asked before memory is taken.
  void expect_room(std::uint64_t count, std::uint64_t least_bytes, std::string_view what) const;

 private:
  std::span<const std::byte> bytes_;
  std::string file_;
  std::uint64_t position_ = 0;
};

}  // namespace kvarium::cpu
