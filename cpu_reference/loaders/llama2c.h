#pragma once
// Checkpoints of llama2.c (Karpathy 2023): a header and float32 weights, little-endian.

#include <memory>
#include <string>

namespace kvarium::cpu {

struct Model;

/// Reads a version 0 ("legacy") or version 1 checkpoint. The size that the header asks for is compared with the file's
/// before any memory is taken. InputError naming the file, what is wrong and what to do: a file that is missing, empty,
/// truncated, too long or of another format, a header number out of range, a weight that is NaN or infinite.
std::shared_ptr<const Model> load_llama2c(const std::string& path);

}  // namespace kvarium::cpu
