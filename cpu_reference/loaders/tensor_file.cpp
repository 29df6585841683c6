#include "cpu_reference/loaders/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"

namespace kvarium::cpu {

void TensorTable::add(TensorInfo tensor) {
  const std::string key = tensor.name;
  const std::string file = tensor.file == nullptr ? std::string() : tensor.file->name();
  if (!tensors_.emplace(key, std::move(tensor)).second) {
    fail_file(file, tr_format("there are two tensors {}: the file is damaged", shown(key)));
  }
}

void TensorTable::add_unsupported(const std::string& tensor_name, const std::string& type_name,
                                  const std::string& file) {
  unsupported_.emplace(tensor_name, Unsupported{type_name, file});
}

void TensorTable::take(const std::string& tensor_name, const TensorTable& shard, const std::string& shard_name,
                       const std::string& index) {
  const auto usable = shard.tensors_.find(tensor_name);
  const auto other = shard.unsupported_.find(tensor_name);
  if (usable != shard.tensors_.end()) {
    add(usable->second);
  } else if (other != shard.unsupported_.end()) {
    unsupported_.insert(*other);
  } else {
    fail_file(index, tr_format("tensor {} is not in {}: download both again", shown(tensor_name), shown(shard_name)));
  }
}

const TensorInfo* TensorTable::find(const std::string& tensor_name) const {
  const auto found = tensors_.find(tensor_name);
  if (found != tensors_.end()) return &found->second;
  const auto unusable = unsupported_.find(tensor_name);
  if (unusable == unsupported_.end()) return nullptr;
  const auto& [type, file] = unusable->second;
  fail_file(file, tr_format("tensor {} has the type {}, which is not supported: convert it to F32, F16 or BF16",
                            shown(tensor_name), shown(type)));
}

std::uint64_t TensorTable::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [key, tensor] : tensors_) sum += tensor.bytes.size();
  return sum;
}

std::uint64_t tensor_bytes(WeightType type, std::span<const std::uint64_t> shape, const std::string& tensor_name,
                           const std::string& file) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  // A side of 0 makes the product 0 whatever the others are; those must be countable all the same.
  std::uint64_t numbers = 1;
  bool empty = false;
  for (const std::uint64_t side : shape) {
    if (side == 0) {
      empty = true;
      continue;
    }
    if (numbers > kMost / side) {
      fail_file(file, tr_format("tensor {} of shape {} has more numbers than 64 bits count: the file is damaged",
                                shown(tensor_name), shape_text(shape)));
    }
    numbers *= side;
  }
  const std::uint64_t block = numbers_per_block(type);
  if (!shape.empty() && shape.back() % block != 0) {
    fail_file(file, tr_format("tensor {} of shape {} has rows that are no whole number of {} blocks of {}: the file is "
                              "damaged",
                              shown(tensor_name), shape_text(shape), name(type), block));
  }
  if (empty) return 0;
  const std::uint64_t blocks = (numbers + block - 1) / block;
  if (blocks > kMost / bytes_per_block(type)) {
    fail_file(file, tr_format("tensor {} of shape {} has more bytes than 64 bits count: the file is damaged",
                              shown(tensor_name), shape_text(shape)));
  }
  return blocks * bytes_per_block(type);
}

void check_no_overlap(std::vector<TensorRange>& ranges, const std::string& file) {
  std::sort(ranges.begin(), ranges.end(), [](const TensorRange& a, const TensorRange& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i - 1].end) {
      fail_file(file, tr_format("tensors {} and {} share bytes: the file is damaged", shown(ranges[i - 1].tensor),
                                shown(ranges[i].tensor)));
    }
  }
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text;
  for (const std::uint64_t side : shape) text += fmt::format("[{}]", side);
  return text.empty() ? "[]" : text;
}

}  // namespace kvarium::cpu
