#pragma once
// What a loader hands on: the model, and how it came out of its files.

#include <cstdint>
#include <memory>
#include <string>

#include "cpu_reference/loaders/weight_taker.h"
#include "cpu_reference/model/weights.h"

namespace kvarium::cpu {

struct LoadedModel {
  std::shared_ptr<const Model> model;
  std::string format;                      ///< "GGUF version 3", "safetensors"
  std::string architecture;                ///< as the file calls it
  std::map<std::string, int> type_counts;  ///< "Q4_1" -> tensors of that type
  std::uint64_t mapped_bytes = 0;          ///< weights that are used where they lie in the file
  std::uint64_t copied_bytes = 0;          ///< weights that were copied into memory
};

/// How many tensors there are of each type.
std::map<std::string, int> count_types(const TensorTable& tensors);

}  // namespace kvarium::cpu
