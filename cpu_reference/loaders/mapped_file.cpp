#include "cpu_reference/loaders/mapped_file.h"

#include <cstdint>
#include <limits>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"

#if __has_include(<sys/mman.h>)
#define KVARIUM_HAS_MMAP 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <fstream>
#endif

namespace kvarium::cpu {
namespace {

/// The bytes of the file; never 0.
std::uint64_t checked_size(const std::filesystem::path& path, const std::string& name) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    fail_file(name, std::string(tr("there is no such file: check the path")));
  }
  if (error) fail_file(name, tr_format("it cannot be opened ({}): check the path", error.message()));
  if (status.type() != std::filesystem::file_type::regular) {
    fail_file(name, std::string(tr("it is not a file: check the path")));
  }
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) fail_file(name, std::string(tr("it cannot be opened: check its permissions")));
  if (size == 0) fail_file(name, std::string(tr("it is empty: download it again")));
  if (size > std::numeric_limits<std::size_t>::max()) {
    fail_file(name, std::string(tr("it is larger than this machine's addresses")));
  }
  return size;
}

}  // namespace

#ifdef KVARIUM_HAS_MMAP

MappedFile::MappedFile(const std::filesystem::path& path) : name_(path.string()) {
  checked_size(path, name_);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  // Asked of the open file, which nobody can put another in the place of.
  const bool usable =
      descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  void* memory = MAP_FAILED;
  if (usable) {
    memory = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  if (descriptor >= 0) ::close(descriptor);  // the map keeps the file open
  if (memory == MAP_FAILED) fail_file(name_, std::string(tr("it cannot be opened: check its permissions")));
  bytes_ = {static_cast<const std::byte*>(memory), static_cast<std::size_t>(status.st_size)};
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

void MappedFile::drop_pages(std::span<const std::byte> part) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(part.data() - bytes_.data());
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = (begin + part.size()) / page * page;
  if (first >= last) return;
  // Advice: when the system does not take it, the pages stay and nothing else changes.
  ::madvise(const_cast<std::byte*>(bytes_.data()) + first, last - first, MADV_DONTNEED);
}

#else

MappedFile::MappedFile(const std::filesystem::path& path) : name_(path.string()) {
  const std::uint64_t size = checked_size(path, name_);
  read_ = AlignedBuffer((size + sizeof(float) - 1) / sizeof(float), 0.0F, name_);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(read_.data()), static_cast<std::streamsize>(size))) {
    fail_file(name_, std::string(tr("it cannot be opened: check its permissions")));
  }
  bytes_ = {reinterpret_cast<const std::byte*>(read_.data()), static_cast<std::size_t>(size)};
}

MappedFile::~MappedFile() = default;

void MappedFile::drop_pages(std::span<const std::byte>) const {}

#endif

}  // namespace kvarium::cpu
