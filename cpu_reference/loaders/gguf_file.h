#pragma once
// GGUF, the format of llama.cpp, versions 2 and 3: metadata, a table of tensors, then their numbers.

#include <cstdint>
#include <filesystem>
#include <memory>

#include "cpu_reference/loaders/gguf_metadata.h"
#include "cpu_reference/loaders/tensor_file.h"

namespace kvarium::cpu {

struct GgufFile {
  std::shared_ptr<const MappedFile> file;
  std::uint32_t version = 0;
  GgufMetadata metadata;
  TensorTable tensors;
};

/// Maps the file and reads what stands before the numbers. Every count and length is compared with what is left of the
/// file before memory is taken for it. InputError naming the file: no GGUF, version 1 or big-endian, truncated, a key
/// or a tensor given twice, a tensor outside the file, on bytes of another one, or of a type that is not supported.
GgufFile open_gguf(const std::filesystem::path& path);

}  // namespace kvarium::cpu
