#pragma once
// Makes GGUF files for tests: good ones, and ones that are wrong in one place.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kvarium_test {

/// A number as its bytes, little-endian.
template <typename Number>
std::string number_bytes(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

/// A text of GGUF: its length in 64 bits, then its bytes.
inline std::string gguf_text(std::string_view text) {
  return number_bytes(std::uint64_t{text.size()}) + std::string(text);
}

/// A tensor as a header of GGUF declares it.
struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> shape;  ///< outermost first
  std::uint32_t type = 0;            ///< ggml's number: 0 F32, 1 F16, 2 Q4_0, 3 Q4_1, 8 Q8_0, 30 BF16
  std::string bytes;
};

class GgufWriter {
 public:
  GgufWriter& u32(std::string_view key, std::uint32_t value) { return raw(key, 4, number_bytes(value)); }
  GgufWriter& f32(std::string_view key, float value) { return raw(key, 6, number_bytes(value)); }
  GgufWriter& boolean(std::string_view key, bool value) { return raw(key, 7, std::string(1, value ? '\1' : '\0')); }
  GgufWriter& text(std::string_view key, std::string_view value) { return raw(key, 8, gguf_text(value)); }
  GgufWriter& texts(std::string_view key, const std::vector<std::string>& values) {
    std::string bytes = number_bytes(std::uint32_t{8}) + number_bytes(std::uint64_t{values.size()});
    for (const std::string& value : values) bytes += gguf_text(value);
    return raw(key, 9, bytes);
  }
  GgufWriter& reals(std::string_view key, const std::vector<float>& values) { return numbers(key, 6, values); }
  GgufWriter& integers(std::string_view key, const std::vector<std::int32_t>& values) {
    return numbers(key, 5, values);
  }
  /// Any type and bytes, also wrong ones.
  GgufWriter& raw(std::string_view key, std::uint32_t type, const std::string& bytes) {
    ++num_keys;
    keys_ += gguf_text(key) + number_bytes(type) + bytes;
    return *this;
  }
  /// Behind the tensors so far, at the next multiple of 32.
  GgufWriter& tensor(const GgufTensor& tensor) { return tensor_at(tensor, data_.size()); }
  /// With another offset in the header than the one where the bytes go.
  GgufWriter& tensor_at(const GgufTensor& tensor, std::uint64_t offset) {
    ++num_tensors;
    tensors_ += gguf_text(tensor.name) + number_bytes(static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto side = tensor.shape.rbegin(); side != tensor.shape.rend(); ++side) tensors_ += number_bytes(*side);
    tensors_ += number_bytes(tensor.type) + number_bytes(offset);
    data_ += tensor.bytes;
    pad(data_);
    return *this;
  }
  /// The whole file.
  std::string bytes() const {
    std::string file = "GGUF" + number_bytes(version) + number_bytes(num_tensors) + number_bytes(num_keys);
    file += keys_ + tensors_;
    pad(file);
    return file + data_;
  }

  std::uint32_t version = 3;
  std::uint64_t num_tensors = 0;  ///< as the header says; grows with each tensor
  std::uint64_t num_keys = 0;

 private:
  template <typename Number>
  GgufWriter& numbers(std::string_view key, std::uint32_t type, const std::vector<Number>& values) {
    std::string bytes = number_bytes(type) + number_bytes(std::uint64_t{values.size()});
    for (const Number value : values) bytes += number_bytes(value);
    return raw(key, 9, bytes);
  }
  static void pad(std::string& bytes) { bytes.resize((bytes.size() + 31) / 32 * 32); }

  std::string keys_;
  std::string tensors_;
  std::string data_;
};

}  // namespace kvarium_test
