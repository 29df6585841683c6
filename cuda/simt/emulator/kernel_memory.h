#pragma once
// The emulator's side of simt/kernel.h.

#include "cuda/simt/backend.h"
#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/checked_ptr.h"
#include "cuda/simt/emulator/shared_memory.h"

namespace kvarium::cuda::emulator {

/// Its address tells one array of one instance of a kernel from all others.
template <typename Tag>
struct SharedKey {
  static constexpr char kAddress = 0;
};

template <typename T, typename Tag>
SharedArray<T> shared_array(const char* name) {
  static_assert(std::is_array_v<T>, "SIMT_SHARED declares arrays: a single value is T[1]");
  Region& region = Block::current()->shared().array(&SharedKey<Tag>::kAddress, name, sizeof(T),
                                                    sizeof(std::remove_all_extents_t<T>));
  return SharedArray<T>(region.begin, &region);
}

template <typename T>
CheckedPtr<T, Space::shared> dynamic_shared(const char* name) {
  Region& region = Block::current()->shared().dynamic(name, sizeof(T));
  return {reinterpret_cast<T*>(region.begin), &region};
}

}  // namespace kvarium::cuda::emulator

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template <typename T>
using gptr = emulator::CheckedPtr<T, emulator::Space::global>;  // NOLINT(readability-identifier-naming)
template <typename T>
using sptr = emulator::CheckedPtr<T, emulator::Space::shared>;  // NOLINT(readability-identifier-naming)

// NOLINTBEGIN(bugprone-macro-parentheses): a type and a name cannot stand in parentheses.
#define SIMT_SHARED(type, name) \
  struct name##_tag {};         \
  const auto name = ::kvarium::cuda::emulator::shared_array<type, name##_tag>(#name)
#define SIMT_DYNAMIC_SHARED(type, name) const auto name = ::kvarium::cuda::emulator::dynamic_shared<type>(#name)
// NOLINTEND(bugprone-macro-parentheses)

template <typename Vector, typename T, emulator::Space space>
Vector load_vec(const emulator::CheckedPtr<T, space>& from, emulator::Site site = emulator::Site::current()) {
  emulator::check_access(from.region(), from.unchecked(), sizeof(Vector), alignof(Vector), emulator::Access::load,
                         site);
  Vector value;
  std::memcpy(&value, from.unchecked(), sizeof value);
  return value;
}

template <typename Vector, typename T, emulator::Space space>
void store_vec(const emulator::CheckedPtr<T, space>& to, const Vector& value,
               emulator::Site site = emulator::Site::current()) {
  emulator::check_access(to.region(), to.unchecked(), sizeof(Vector), alignof(Vector), emulator::Access::store, site);
  std::memcpy(to.unchecked(), &value, sizeof value);
}

template <typename U, typename T, emulator::Space space>
emulator::CheckedPtr<U, space> pointer_cast(const emulator::CheckedPtr<T, space>& pointer) {
  return {reinterpret_cast<U*>(pointer.unchecked()), pointer.region()};
}

template <typename T>
T __ldg(const gptr<T>& address, emulator::Site site = emulator::Site::current()) {  // NOLINT: CUDA's name
  return emulator::checked_load<std::remove_const_t<T>>(address.region(), address.unchecked(), site);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
