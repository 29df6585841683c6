#pragma once
// Memory for weights and caches: floats that start on a 64-byte boundary (a cache line, and the widest vector
// register), and one clear error instead of a crash when there is not enough of it.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace kvarium::cpu {

/// The product of the factors. InputError naming `what` when it is more than 64 bits hold.
std::uint64_t checked_product(std::initializer_list<std::uint64_t> factors, std::string_view what);

/// Bytes of this machine's memory; 0 where the system does not say.
std::uint64_t machine_memory();

class AlignedBuffer {
 public:
  static constexpr std::uint64_t kAlignment = 64;  ///< bytes

  AlignedBuffer() = default;
  /// `count` floats, all equal to `fill`. InputError naming `what` when they do not fit in the memory that is free.
  AlignedBuffer(std::uint64_t count, float fill, std::string_view what);

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::uint64_t size() const { return size_; }  ///< floats

 private:
  struct Free {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float[], Free> data_;
  std::uint64_t size_ = 0;
};

}  // namespace kvarium::cpu
