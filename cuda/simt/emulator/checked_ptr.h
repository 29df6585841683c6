#pragma once
// A pointer of a kernel, in the emulator: it knows the buffer or shared array that it points into, and every access
// through it is checked, with the line of the kernel where it stands. For nvcc it is a plain pointer (simt/kernel.h).

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "cuda/simt/emulator/access.h"

namespace kvarium::cuda::emulator {

/// An index and the line where it is written: made by the conversion from a number in p[i].
struct At {
  std::ptrdiff_t index;
  Site site;

  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  At(Integer i, Site s = Site::current()) : index(static_cast<std::ptrdiff_t>(i)), site(s) {}  // NOLINT: from a number
};

template <typename T>
T checked_load(Region* region, const T* address, const Site& site) {
  check_access(region, address, sizeof(T), alignof(T), Access::load, site);
  return *address;
}

template <typename T>
void checked_store(Region* region, T* address, const T& value, const Site& site) {
  check_access(region, address, sizeof(T), alignof(T), Access::store, site);
  *address = value;
}

/// What p[i] is when the element can be written: reading and writing it are two different accesses.
template <typename T>
class Element {
 public:
  Element(T* address, Region* region, const Site& site) : address_(address), region_(region), site_(site) {}
  Element(const Element&) = default;
  ~Element() = default;

  operator T() const { return load(); }             // NOLINT: an element is used like its value
  const Element& operator=(const T& value) const {  // NOLINT: a reference that is const can still be assigned through
    store(value);
    return *this;
  }
  Element& operator=(const Element& other) {  // NOLINT(bugprone-unhandled-self-assignment): copies the number
    store(other.load());
    return *this;
  }
  const Element& operator+=(const T& value) const { return *this = static_cast<T>(load() + value); }
  const Element& operator-=(const T& value) const { return *this = static_cast<T>(load() - value); }
  const Element& operator*=(const T& value) const { return *this = static_cast<T>(load() * value); }
  const Element& operator/=(const T& value) const { return *this = static_cast<T>(load() / value); }

 private:
  T load() const { return checked_load(region_, address_, site_); }
  void store(const T& value) const { checked_store(region_, address_, value, site_); }

  T* address_;
  Region* region_;
  Site site_;
};

template <typename T, Space space>
class CheckedPtr {
 public:
  CheckedPtr() = default;
  CheckedPtr(std::nullptr_t) {}  // NOLINT: like a pointer
  CheckedPtr(T* address, Region* region) : address_(address), region_(region) {}
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T> && !std::is_const_v<U>>>
  CheckedPtr(const CheckedPtr<U, space>& other) : address_(other.unchecked()), region_(other.region()) {}  // NOLINT

  /// A value when T is const; otherwise an Element, to read or to write.
  auto operator[](const At& at) const {
    if constexpr (std::is_const_v<T>) {
      return checked_load<std::remove_const_t<T>>(region_, moved(at.index), at.site);
    } else {
      return Element<T>(moved(at.index), region_, at.site);
    }
  }

  template <typename Integer>
  CheckedPtr operator+(Integer distance) const {
    return {moved(static_cast<std::ptrdiff_t>(distance)), region_};
  }
  template <typename Integer>
  CheckedPtr operator-(Integer distance) const {
    return {moved(-static_cast<std::ptrdiff_t>(distance)), region_};
  }
  template <typename Integer>
  CheckedPtr& operator+=(Integer distance) {
    return *this = *this + distance;
  }
  template <typename Integer>
  CheckedPtr& operator-=(Integer distance) {
    return *this = *this - distance;
  }
  explicit operator bool() const { return address_ != nullptr; }
  bool operator==(std::nullptr_t) const { return address_ == nullptr; }

  T* unchecked() const { return address_; }
  Region* region() const { return region_; }

 private:
  /// Through integers: a pointer far outside of its array may be made, as long as it is not used.
  T* moved(std::ptrdiff_t distance) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address_) +
                                static_cast<std::uintptr_t>(distance) * sizeof(T));
  }

  T* address_ = nullptr;
  Region* region_ = nullptr;
};

/// A shared array: every index of every dimension is checked. Becomes a pointer where one is wanted, like an array.
template <typename T>
class SharedArray;

template <typename T, std::size_t extent>
class SharedArray<T[extent]> {
 public:
  SharedArray(void* address, Region* region) : address_(address), region_(region) {}

  auto operator[](const At& at) const {
    if (at.index < 0 || static_cast<std::size_t>(at.index) >= extent) {
      index_fault(*region_, at.index, extent, at.site);
    }
    T* element = static_cast<T*>(address_) + at.index;
    if constexpr (std::is_array_v<T>) {
      return SharedArray<T>(element, region_);
    } else {
      return Element<T>(element, region_, at.site);
    }
  }
  template <typename U, typename = std::enable_if_t<std::is_same_v<std::remove_const_t<U>, T>>>
  operator CheckedPtr<U, Space::shared>() const {  // NOLINT: arrays become pointers
    return {static_cast<T*>(address_), region_};
  }

 private:
  void* address_;
  Region* region_;
};

}  // namespace kvarium::cuda::emulator
