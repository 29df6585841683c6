#pragma once
// A value that copies share until one of them changes it.

#include <memory>
#include <utility>

namespace kvarium {

/// Why: a checkpoint is a copy of the World. Finished requests never change again, so all checkpoints share them, and
/// copying the World of a long trace costs one pointer a request. Not for use by two threads at once.
template <typename T>
class CopyOnWrite {
 public:
  CopyOnWrite() : value_(std::make_shared<T>()) {}
  explicit CopyOnWrite(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// For changing: copies first if another CopyOnWrite sees the same value.
  T& edit() {
    if (shared()) value_ = std::make_shared<T>(*value_);
    return *value_;
  }
  /// Another CopyOnWrite sees the same value: this one costs no memory of its own.
  bool shared() const { return value_.use_count() > 1; }

  friend bool operator==(const CopyOnWrite& a, const CopyOnWrite& b) { return a.value_ == b.value_ || *a == *b; }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace kvarium
