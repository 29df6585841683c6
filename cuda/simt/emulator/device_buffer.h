#pragma once
// Memory of the device, as the emulator keeps it: filled with 0xFF, and reached by the host through copies only.

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/simt/backend.h"
#include "cuda/simt/emulator/kernel_memory.h"
#include "cuda/simt/emulator/stream.h"

namespace kvarium::cuda::emulator {

/// Bytes of one buffer. OutOfDeviceMemory when they are not there.
class Allocation {
 public:
  Allocation(std::size_t count, std::size_t element_bytes, const char* name);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  /// MisuseError when [offset, offset + bytes) is not inside.
  void check_range(std::size_t offset, std::size_t bytes, const char* verb) const;
  void write(std::size_t offset, const void* from, std::size_t bytes);
  void read(std::size_t offset, void* to, std::size_t bytes) const;
  void zero();
  Region& region() { return region_; }
  const Region& region() const { return region_; }

 private:
  Region region_;
};

}  // namespace kvarium::cuda::emulator

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Bytes of device memory in use, and how many there may be: set it to see what happens when they run out.
std::size_t device_bytes_in_use();
void set_device_bytes(std::size_t most);

template <typename T>
class DeviceBuffer {
 public:
  /// `count` elements, not initialised. The name appears in messages. OutOfDeviceMemory.
  explicit DeviceBuffer(std::size_t count, const char* name = "buffer")
      : memory_(std::make_shared<emulator::Allocation>(count, sizeof(T), name)), count_(count) {}
  /// A copy of `values`.
  explicit DeviceBuffer(const std::vector<T>& values, const char* name = "buffer") : DeviceBuffer(values.size(), name) {
    upload(values.data(), values.size());
  }
  DeviceBuffer(DeviceBuffer&&) noexcept = default;
  DeviceBuffer& operator=(DeviceBuffer&&) noexcept = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() = default;

  std::size_t size() const { return count_; }
  gptr<T> ptr() { return {address(), &memory_->region()}; }
  gptr<const T> ptr() const { return {address(), &memory_->region()}; }

  /// Copies between host and device, after all work that is under way. MisuseError when they do not fit.
  void upload(const T* from, std::size_t count, std::size_t offset = 0) {
    synchronize_device();
    memory_->write(offset * sizeof(T), from, count * sizeof(T));
  }
  void download(T* to, std::size_t count, std::size_t offset = 0) const {
    synchronize_device();
    memory_->read(offset * sizeof(T), to, count * sizeof(T));
  }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    download(values.data(), count_);
    return values;
  }

  /// The same in the order of a stream; the host's memory must stay until then.
  void upload_async(Stream& stream, const T* from, std::size_t count, std::size_t offset = 0) {
    memory_->check_range(offset * sizeof(T), count * sizeof(T), "writes");
    stream.enqueue(
        [memory = memory_, from, count, offset] { memory->write(offset * sizeof(T), from, count * sizeof(T)); });
  }
  void download_async(Stream& stream, T* to, std::size_t count, std::size_t offset = 0) const {
    memory_->check_range(offset * sizeof(T), count * sizeof(T), "reads");
    stream.enqueue([memory = memory_, to, count, offset] { memory->read(offset * sizeof(T), to, count * sizeof(T)); });
  }
  void zero(Stream& stream) {
    stream.enqueue([memory = memory_] { memory->zero(); });
  }

 private:
  T* address() const { return reinterpret_cast<T*>(memory_->region().begin); }

  std::shared_ptr<emulator::Allocation> memory_;  ///< shared with copies that are under way
  std::size_t count_;
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
