#pragma once
// Takes a model's weights out of the tensors of its files: as they lie there where that is possible, otherwise as a
// copy in memory of their own type.

#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/progress.h"
#include "cpu_reference/loaders/tensor_file.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// Loading was stopped from another thread.
struct LoadCancelled : std::exception {
  const char* what() const noexcept override { return "loading was cancelled"; }
};

/// Each function throws InputError, naming file and tensor, when the tensor is missing or has another shape, and
/// LoadCancelled. A copy is made piece by piece, and the file's pages are given back behind it: file and copy together
/// never hold more than the weights and a piece.
class WeightTaker {
 public:
  /// All are kept by reference. `where` names the model in errors.
  WeightTaker(const TensorTable& tensors, std::string where, const OnProgress& on_progress, const CancelToken& cancel);

  bool has(const std::string& name) const { return tensors_.find(name) != nullptr; }
  /// [rows][columns], of the tensor's own type.
  WeightMatrix matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns);
  /// [rows][columns] from a tensor [columns][all_rows], whose columns first..first+rows-1 become the rows: the Conv1D
  /// of GPT-2. For F32, F16 and BF16.
  WeightMatrix transposed(const std::string& name, std::uint32_t all_rows, std::uint32_t first, std::uint32_t rows,
                          std::uint32_t columns);
  /// [size] as floats, from element `first` of a tensor [all]. InputError, besides, for a number that is not finite.
  Vector vector(const std::string& name, std::uint32_t size) { return vector(name, size, 0, size); }
  Vector vector(const std::string& name, std::uint32_t all, std::uint32_t first, std::uint32_t size);

  /// InputError, naming one, when tensors are left that nobody asked for and whose names do not end with one of
  /// `harmless`: the file's model does something that this one does not.
  void expect_all_taken(const std::vector<std::string>& harmless) const;

  std::vector<std::shared_ptr<const void>>& memory() { return memory_; }  ///< what the views point into
  std::uint64_t mapped_bytes() const { return mapped_bytes_; }            ///< used where they lie
  std::uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  const TensorInfo& take(const std::string& name, const std::vector<std::uint64_t>& shape);
  std::byte* allocate(const TensorInfo& tensor, std::uint64_t bytes);
  void copy(const TensorInfo& tensor, std::byte* out) const;
  void tell(std::uint64_t done) const;
  void keep(const std::shared_ptr<const void>& memory);
  void expect_wanted() const;

  const TensorTable& tensors_;
  std::string where_;
  const OnProgress& on_progress_;
  const CancelToken& cancel_;
  std::set<std::string> taken_;
  std::vector<std::shared_ptr<const void>> memory_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t mapped_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;
};

}  // namespace kvarium::cpu
