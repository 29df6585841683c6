#include "cpu_reference/loaders/weight_taker.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/aligned_buffer.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cpu {
namespace {

bool is_plain(WeightType type) { return numbers_per_block(type) == 1; }

/// Plain numbers are read with whole vector registers, which must not straddle two cache lines; the blocks of the
/// quantised types straddle them anyway.
bool usable_in_place(const TensorInfo& tensor) {
  return !is_plain(tensor.type) ||
         reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % AlignedBuffer::kAlignment == 0;
}

/// out[rows][columns] from in[columns][all_rows], from column `first` of it on. Sixteen rows at a time: so that a cache
/// line of `in` is read once.
template <typename Number>
void transpose(const std::byte* in, std::uint64_t all_rows, std::uint64_t first, std::uint64_t rows,
               std::uint64_t columns, std::byte* out) {
  constexpr std::uint64_t kTile = 16;
  for (std::uint64_t begin = 0; begin < rows; begin += kTile) {
    const std::uint64_t end = std::min(rows, begin + kTile);
    for (std::uint64_t c = 0; c < columns; ++c) {
      const std::byte* from = in + (c * all_rows + first) * sizeof(Number);
      for (std::uint64_t r = begin; r < end; ++r) {
        std::memcpy(out + (r * columns + c) * sizeof(Number), from + r * sizeof(Number), sizeof(Number));
      }
    }
  }
}

}  // namespace

WeightTaker::WeightTaker(const TensorTable& tensors, std::string where, const OnProgress& on_progress,
                         const CancelToken& cancel)
    : tensors_(tensors),
      where_(std::move(where)),
      on_progress_(on_progress),
      cancel_(cancel),
      total_bytes_(tensors.bytes()) {}

void WeightTaker::expect_wanted() const {
  if (cancel_.cancelled()) throw LoadCancelled();
}

const TensorInfo& WeightTaker::take(const std::string& name, const std::vector<std::uint64_t>& shape) {
  expect_wanted();
  const TensorInfo* tensor = tensors_.find(name);
  if (tensor == nullptr) {
    fail_file(where_, tr_format("tensor {} is missing: the file is damaged or of another model", name));
  }
  if (tensor->shape != shape) {
    fail_file(where_, tr_format("tensor {} has shape {}, and the model's numbers ask for {}: the file is damaged or of "
                                "another model",
                                name, shape_text(tensor->shape), shape_text(shape)));
  }
  tell(done_bytes_);  // the tensors before this one
  if (taken_.insert(name).second) done_bytes_ += tensor->bytes.size();
  return *tensor;
}

void WeightTaker::tell(std::uint64_t done) const {
  if (on_progress_) on_progress_({done, total_bytes_});
}

void WeightTaker::keep(const std::shared_ptr<const void>& memory) {
  if (std::find(memory_.begin(), memory_.end(), memory) == memory_.end()) memory_.push_back(memory);
}

std::byte* WeightTaker::allocate(const TensorInfo& tensor, std::uint64_t bytes) {
  const auto buffer =
      std::make_shared<AlignedBuffer>((bytes + sizeof(float) - 1) / sizeof(float), 0.0F, shown(tensor.name));
  memory_.push_back(buffer);
  copied_bytes_ += bytes;
  return reinterpret_cast<std::byte*>(buffer->data());
}

void WeightTaker::copy(const TensorInfo& tensor, std::byte* out) const {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes
  const std::uint64_t before = done_bytes_ - tensor.bytes.size();
  for (std::size_t begin = 0; begin < tensor.bytes.size(); begin += kPiece) {
    expect_wanted();
    const auto piece = tensor.bytes.subspan(begin, std::min(kPiece, tensor.bytes.size() - begin));
    std::memcpy(out + begin, piece.data(), piece.size());
    tensor.file->drop_pages(piece);
    tell(before + begin + piece.size());
  }
}

WeightMatrix WeightTaker::matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns) {
  const TensorInfo& tensor = take(name, {rows, columns});
  WeightMatrix view{tensor.type, Index{rows}, Index{columns}, tensor.bytes.data()};
  if (usable_in_place(tensor)) {
    keep(tensor.file);
    mapped_bytes_ += tensor.bytes.size();
    return view;
  }
  std::byte* out = allocate(tensor, tensor.bytes.size());
  copy(tensor, out);
  view.data = out;
  return view;
}

WeightMatrix WeightTaker::transposed(const std::string& name, std::uint32_t all_rows, std::uint32_t first,
                                     std::uint32_t rows, std::uint32_t columns) {
  const TensorInfo& tensor = take(name, {columns, all_rows});
  if (!is_plain(tensor.type)) {
    fail_file(where_, tr_format("tensor {} has the type {}, which cannot be transposed: use F32, F16 or BF16", name,
                                kvarium::cpu::name(tensor.type)));
  }
  std::byte* out = allocate(tensor, std::uint64_t{rows} * columns * bytes_per_block(tensor.type));
  const auto run = tensor.type == WeightType::f32 ? transpose<std::uint32_t> : transpose<std::uint16_t>;
  run(tensor.bytes.data(), all_rows, first, rows, columns, out);
  tensor.file->drop_pages(tensor.bytes);
  return {tensor.type, Index{rows}, Index{columns}, out};
}

Vector WeightTaker::vector(const std::string& name, std::uint32_t all, std::uint32_t first, std::uint32_t size) {
  const TensorInfo& tensor = take(name, {all});
  if (!is_plain(tensor.type)) {
    fail_file(where_, tr_format("tensor {} has the type {}, and a vector must be F32, F16 or BF16", name,
                                kvarium::cpu::name(tensor.type)));
  }
  Vector numbers(Index{size});
  dequantize_row(tensor.type, tensor.bytes.data() + std::size_t{first} * bytes_per_block(tensor.type), Index{size},
                 numbers.data());
  for (Index i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) {
      fail_file(where_,
                tr_format("number {} of tensor {} is {}: the file is damaged, use another copy", i, name, numbers[i]));
    }
  }
  return numbers;
}

void WeightTaker::expect_all_taken(const std::vector<std::string>& harmless) const {
  tell(total_bytes_);
  for (const auto& [name, tensor] : tensors_.all()) {
    const auto ends_name = [&name = name](const std::string& end) {
      return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    if (taken_.count(name) != 0 || std::any_of(harmless.begin(), harmless.end(), ends_name)) continue;
    fail_file(where_, tr_format("tensor {} is of no use to this architecture: the model does something that is not "
                                "supported",
                                shown(name)));
  }
}

}  // namespace kvarium::cpu
