#pragma once
// The safetensors format (Hugging Face): 8 bytes with the length of a header, the header in JSON, then the numbers.
//
//   {"layer.weight": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}, ..., "__metadata__": {...}}
//
// The offsets are half-open, count from the end of the header, and cover the rest of the file without a hole.

#include <filesystem>

#include "cpu_reference/loaders/tensor_file.h"

namespace kvarium::cpu {

/// Maps the file; no number is read yet. InputError naming the file and the tensor: a header that is no such JSON or
/// too long, ranges that lie outside the file, overlap, leave holes or do not fit the shape, a name given twice.
TensorTable open_safetensors(const std::filesystem::path& path);

/// All shards of a model: "model.safetensors.index.json" maps every tensor's name to the file that holds it.
/// InputError, besides, for a file name that leads out of the index's folder, a shard that is missing and a tensor that
/// its shard lacks.
TensorTable open_sharded_safetensors(const std::filesystem::path& index_path);

}  // namespace kvarium::cpu
