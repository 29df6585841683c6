#pragma once
// The device's side of simt/host.h: streams, events and buffers over the CUDA runtime.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cuda/simt/device/check.cuh"
#include "cuda/simt/device/kernel_memory.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDefault), "making an event"); }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreate(&stream_), "making a stream"); }
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void synchronize() { check(cudaStreamSynchronize(stream_), "waiting for a stream"); }
  Event record() const {
    Event event;
    check(cudaEventRecord(event.get(), stream_), "recording an event");
    return event;
  }
  void wait(const Event& event) { check(cudaStreamWaitEvent(stream_, event.get(), 0), "waiting for an event"); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

inline void synchronize_device() { check(cudaDeviceSynchronize(), "waiting for the device"); }

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count, const char* name = "buffer") : count_(count), name_(name) {
    check(cudaMalloc(&address_, count * sizeof(T)), name_ + ", " + std::to_string(count * sizeof(T)) + " bytes");
  }
  explicit DeviceBuffer(const std::vector<T>& values, const char* name = "buffer") : DeviceBuffer(values.size(), name) {
    upload(values.data(), values.size());
  }
  ~DeviceBuffer() {
    if (address_ != nullptr) cudaFree(address_);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), count_(other.count_), name_(std::move(other.name_)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(count_, other.count_);
    std::swap(name_, other.name_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  std::size_t size() const { return count_; }
  T* ptr() { return address_; }
  const T* ptr() const { return address_; }

  void upload(const T* from, std::size_t count, std::size_t offset = 0) {
    check_range(offset, count);
    synchronize_device();
    check(cudaMemcpy(address_ + offset, from, count * sizeof(T), cudaMemcpyHostToDevice), "copying to " + name_);
  }
  void download(T* to, std::size_t count, std::size_t offset = 0) const {
    check_range(offset, count);
    synchronize_device();
    check(cudaMemcpy(to, address_ + offset, count * sizeof(T), cudaMemcpyDeviceToHost), "copying from " + name_);
  }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    download(values.data(), count_);
    return values;
  }
  void upload_async(Stream& stream, const T* from, std::size_t count, std::size_t offset = 0) {
    check_range(offset, count);
    check(cudaMemcpyAsync(address_ + offset, from, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()),
          "copying to " + name_);
  }
  void download_async(Stream& stream, T* to, std::size_t count, std::size_t offset = 0) const {
    check_range(offset, count);
    check(cudaMemcpyAsync(to, address_ + offset, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
          "copying from " + name_);
  }
  void zero(Stream& stream) {
    check(cudaMemsetAsync(address_, 0, count_ * sizeof(T), stream.get()), "zeroing " + name_);
  }

 private:
  void check_range(std::size_t offset, std::size_t count) const {
    if (offset <= count_ && count <= count_ - offset) return;
    throw MisuseError("a copy of elements " + std::to_string(offset) + " to " + std::to_string(offset + count) +
                      " of " + name_ + ", which has " + std::to_string(count_));
  }

  T* address_ = nullptr;
  std::size_t count_;
  std::string name_;
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
