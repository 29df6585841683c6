#pragma once
// Named tensors in mapped files: what safetensors and GGUF have in common.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_reference/loaders/mapped_file.h"
#include "cpu_reference/model/weight_matrix.h"

namespace kvarium::cpu {

inline constexpr std::uint64_t kMostTensors = 100'000;  ///< in one file or model: real ones have some thousands

struct TensorInfo {
  std::string name;
  WeightType type = WeightType::f32;
  std::vector<std::uint64_t> shape;        ///< outermost first; the last side is contiguous in memory
  std::span<const std::byte> bytes;        ///< exactly the tensor; on any boundary
  std::shared_ptr<const MappedFile> file;  ///< what `bytes` points into
};

/// The tensors of one model, whatever files they lie in.
class TensorTable {
 public:
  /// InputError, naming the tensor's file, when the name is there already.
  void add(TensorInfo tensor);
  /// A tensor that is there and cannot be used, because of this type.
  void add_unsupported(const std::string& tensor_name, const std::string& type_name, const std::string& file);

  /// The tensor `tensor_name` of another table too, usable or not. InputError, as one of `index`, when `shard` lacks
  /// it.
  void take(const std::string& tensor_name, const TensorTable& shard, const std::string& shard_name,
            const std::string& index);

  /// Nullptr when there is none; InputError when it has an unsupported type.
  const TensorInfo* find(const std::string& tensor_name) const;
  std::size_t size() const { return tensors_.size(); }
  std::uint64_t bytes() const;  ///< of all tensors
  const std::map<std::string, TensorInfo>& all() const { return tensors_; }

 private:
  struct Unsupported {
    std::string type;
    std::string file;
  };
  std::map<std::string, TensorInfo> tensors_;
  std::map<std::string, Unsupported> unsupported_;
};

/// Bytes of a tensor. InputError, naming file and tensor: more numbers than 64 bits count, or rows that are no whole
/// number of blocks.
std::uint64_t tensor_bytes(WeightType type, std::span<const std::uint64_t> shape, const std::string& tensor_name,
                           const std::string& file);

/// Half-open: [begin, end) within the data of a file.
struct TensorRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string tensor;
};

/// Sorts by begin. InputError, naming two tensors, when they share a byte.
void check_no_overlap(std::vector<TensorRange>& ranges, const std::string& file);

/// "[2][3]"
std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace kvarium::cpu
