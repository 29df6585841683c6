#pragma once
// A file as memory: the system reads a page of it when it is first touched and may forget it again, so that a model
// costs memory only where it is used.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "cpu_reference/aligned_buffer.h"

namespace kvarium::cpu {

/// Read-only. Where the system has no memory maps, the file is read whole. A file that another program shortens while
/// it is mapped takes its pages with it: nobody may write to a model that is in use.
class MappedFile {
 public:
  /// InputError naming the file: it is missing, no file, empty or cannot be read. Links are followed: the Hugging Face
  /// cache keeps a model as links.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& name() const { return name_; }
  /// Starts on a page boundary (on a 64-byte boundary where the file was read).
  std::span<const std::byte> bytes() const { return bytes_; }

  /// Says that these bytes were copied: the pages that lie wholly within `part` need not stay in memory. They can still
  /// be read.
  void drop_pages(std::span<const std::byte> part) const;

 private:
  std::string name_;
  std::span<const std::byte> bytes_;
  AlignedBuffer read_;  ///< what `bytes_` points into where the file was read; otherwise empty
};

}  // namespace kvarium::cpu
