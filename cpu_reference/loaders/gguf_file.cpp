#include "cpu_reference/loaders/gguf_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/byte_reader.h"
#include "cpu_reference/loaders/file_error.h"

// magic "GGUF", u32 version, u64 tensors, u64 keys
// then each key: text, u32 type, value          (an array: u32 type of the elements, u64 count, elements)
// then each tensor: text, u32 number of sides, u64 sides innermost first, u32 type, u64 offset
// then, from the next multiple of the alignment on, the tensors' numbers, each at its offset.

namespace kvarium::cpu {
namespace {

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint32_t kMostSides = 4;
constexpr std::uint64_t kMostAlignment = 1ULL << 20;
constexpr int kDeepestArray = 4;
// The least that a thing of each kind takes in the file.
constexpr std::uint64_t kLeastKeyBytes = 8 + 4 + 1;
constexpr std::uint64_t kLeastTensorBytes = 8 + 4 + 4 + 8;

/// ggml's number of a type -> how it is read here; only a name for the types that are not.
struct GgmlType {
  std::string_view name;
  std::optional<WeightType> type;
};

const GgmlType* ggml_type(std::uint32_t id) {
  static const std::map<std::uint32_t, GgmlType> kTypes = {{0, {"F32", WeightType::f32}},
                                                           {1, {"F16", WeightType::f16}},
                                                           {2, {"Q4_0", WeightType::q4_0}},
                                                           {3, {"Q4_1", WeightType::q4_1}},
                                                           {6, {"Q5_0", WeightType::q5_0}},
                                                           {7, {"Q5_1", WeightType::q5_1}},
                                                           {8, {"Q8_0", WeightType::q8_0}},
                                                           {9, {"Q8_1", {}}},
                                                           {10, {"Q2_K", {}}},
                                                           {11, {"Q3_K", {}}},
                                                           {12, {"Q4_K", WeightType::q4_k}},
                                                           {13, {"Q5_K", {}}},
                                                           {14, {"Q6_K", WeightType::q6_k}},
                                                           {15, {"Q8_K", {}}},
                                                           {16, {"IQ2_XXS", {}}},
                                                           {17, {"IQ2_XS", {}}},
                                                           {18, {"IQ3_XXS", {}}},
                                                           {19, {"IQ1_S", {}}},
                                                           {20, {"IQ4_NL", {}}},
                                                           {21, {"IQ3_S", {}}},
                                                           {22, {"IQ2_S", {}}},
                                                           {23, {"IQ4_XS", {}}},
                                                           {24, {"I8", {}}},
                                                           {25, {"I16", {}}},
                                                           {26, {"I32", {}}},
                                                           {27, {"I64", {}}},
                                                           {28, {"F64", {}}},
                                                           {29, {"IQ1_M", {}}},
                                                           {30, {"BF16", WeightType::bf16}},
                                                           {34, {"TQ1_0", {}}},
                                                           {35, {"TQ2_0", {}}},
                                                           {39, {"MXFP4", {}}}};
  const auto found = kTypes.find(id);
  return found == kTypes.end() ? nullptr : &found->second;
}

/// Bytes of a number of this type; 0 for texts and arrays, whose length stands in the file.
std::uint64_t fixed_bytes(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean:
      return 1;
    case GgufType::u16:
    case GgufType::i16:
      return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32:
      return 4;
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64:
      return 8;
    case GgufType::text:
    case GgufType::array:
      return 0;
  }
  return 0;
}

/// Reads the parts of a GGUF file in their order.
class GgufReader {
 public:
  explicit GgufReader(std::shared_ptr<const MappedFile> file)
      : file_(std::move(file)), reader_(file_->bytes(), file_->name()) {}

  GgufFile read() {
    read_header();
    GgufFile gguf;
    gguf.file = file_;
    gguf.version = version_;
    gguf.metadata = GgufMetadata(file_, read_values());
    read_tensors(gguf);
    return gguf;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { fail_file(file_->name(), what); }
  void read_header();
  std::map<std::string, GgufValue, std::less<>> read_values();
  GgufType read_type(std::string_view key);
  GgufValue read_value(GgufType type, std::string_view key, int depth);
  void skip_elements(const GgufValue& array, std::string_view key, int depth);
  void read_tensors(GgufFile& gguf);
  TensorInfo read_tensor(std::uint64_t& offset);
  std::uint64_t data_start(const GgufMetadata& metadata) const;

  std::shared_ptr<const MappedFile> file_;
  ByteReader reader_;
  std::uint32_t version_ = 0;
  std::uint64_t tensors_ = 0;
  std::uint64_t keys_ = 0;
};

void GgufReader::read_header() {
  if (reader_.number<std::uint32_t>(tr("the mark of the format")) != kMagic) {
    fail(std::string(tr("it does not begin with \"GGUF\": it is no GGUF file, or damaged")));
  }
  version_ = reader_.number<std::uint32_t>(tr("the version"));
  if (version_ == 0x02000000 || version_ == 0x03000000) {
    fail(std::string(tr("it is big-endian, which is not supported: convert the model on an ordinary machine")));
  }
  if (version_ != 2 && version_ != 3) {
    fail(tr_format("GGUF version {} is not supported: convert the model again, to version 3", version_));
  }
  tensors_ = reader_.number<std::uint64_t>(tr("the number of tensors"));
  keys_ = reader_.number<std::uint64_t>(tr("the number of keys"));
  reader_.expect_room(keys_, kLeastKeyBytes, tr("keys"));
  reader_.expect_room(tensors_, kLeastTensorBytes, tr("tensors"));
  if (tensors_ > kMostTensors || keys_ > kMostTensors) {
    fail(tr_format("{} tensors and {} keys are more than {}: the file is damaged", tensors_, keys_, kMostTensors));
  }
}

GgufType GgufReader::read_type(std::string_view key) {
  const auto number = reader_.number<std::uint32_t>(key);
  if (number > static_cast<std::uint32_t>(GgufType::f64)) {
    fail(tr_format("{} has the type {}, which GGUF does not have: the file is damaged", key, number));
  }
  return static_cast<GgufType>(number);
}

GgufValue GgufReader::read_value(GgufType type, std::string_view key, int depth) {
  GgufValue value;
  value.type = type;
  if (type == GgufType::array) {
    if (depth >= kDeepestArray) {
      fail(tr_format("{} has arrays nested more than {} deep: the file is damaged", key, kDeepestArray));
    }
    value.element = read_type(key);
    value.count = reader_.number<std::uint64_t>(key);
  }
  const std::uint64_t start = reader_.position();
  if (type == GgufType::array) {
    skip_elements(value, key, depth);
  } else if (type == GgufType::text) {
    reader_.text(key);
  } else {
    reader_.take(fixed_bytes(type), key);
  }
  value.bytes = file_->bytes().subspan(start, reader_.position() - start);
  return value;
}

void GgufReader::skip_elements(const GgufValue& array, std::string_view key, int depth) {
  const std::uint64_t each = fixed_bytes(array.element);
  if (each > 0) {
    reader_.expect_room(array.count, each, key);
    reader_.take(array.count * each, key);
    return;
  }
  reader_.expect_room(array.count, 8, key);  // a text's length; an array's type and count are longer
  for (std::uint64_t i = 0; i < array.count; ++i) read_value(array.element, key, depth + 1);
}

std::map<std::string, GgufValue, std::less<>> GgufReader::read_values() {
  std::map<std::string, GgufValue, std::less<>> values;
  for (std::uint64_t i = 0; i < keys_; ++i) {
    const std::string key(reader_.text(tr("a key")));
    const std::string named = shown(key);
    const GgufValue value = read_value(read_type(named), named, 0);
    if (!values.emplace(key, value).second) fail(tr_format("the key {} is given twice: the file is damaged", named));
  }
  return values;
}

TensorInfo GgufReader::read_tensor(std::uint64_t& offset) {
  TensorInfo tensor;
  tensor.name = std::string(reader_.text(tr("a tensor's name")));
  const std::string named = shown(tensor.name);
  const auto sides = reader_.number<std::uint32_t>(named);
  if (sides == 0 || sides > kMostSides) {
    fail(tr_format("tensor {} has {} sides, not 1 to {}: the file is damaged", named, sides, kMostSides));
  }
  for (std::uint32_t i = 0; i < sides; ++i) tensor.shape.push_back(reader_.number<std::uint64_t>(named));
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  const auto id = reader_.number<std::uint32_t>(named);
  const GgmlType* type = ggml_type(id);
  if (type == nullptr) fail(tr_format("tensor {} has the unknown type {}", named, id));
  if (!type->type) {
    fail(
        tr_format("tensor {} has the type {}, which is not supported: use F32, F16, BF16, Q8_0, Q5_0, Q5_1, Q4_0, "
                  "Q4_1, Q4_K or Q6_K",
                  named, type->name));
  }
  tensor.type = *type->type;
  tensor.file = file_;
  offset = reader_.number<std::uint64_t>(named);
  return tensor;
}

std::uint64_t GgufReader::data_start(const GgufMetadata& metadata) const {
  const std::uint64_t alignment = metadata.whole("general.alignment").value_or(32);
  if (alignment == 0 || alignment > kMostAlignment || (alignment & (alignment - 1)) != 0) {
    fail(
        tr_format("general.alignment is {}, no power of two up to {}: the file is damaged", alignment, kMostAlignment));
  }
  return (reader_.position() + alignment - 1) / alignment * alignment;
}

void GgufReader::read_tensors(GgufFile& gguf) {
  std::vector<std::pair<TensorInfo, std::uint64_t>> read;  // with its offset
  reader_.expect_room(tensors_, kLeastTensorBytes, tr("tensors"));
  read.reserve(tensors_);
  for (std::uint64_t i = 0; i < tensors_; ++i) {
    std::uint64_t offset = 0;
    TensorInfo tensor = read_tensor(offset);
    read.emplace_back(std::move(tensor), offset);
  }
  const std::uint64_t start = data_start(gguf.metadata);
  const std::uint64_t data_bytes = file_->bytes().size() - std::min<std::uint64_t>(start, file_->bytes().size());
  std::vector<TensorRange> ranges;
  for (auto& [tensor, offset] : read) {
    const std::uint64_t bytes = tensor_bytes(tensor.type, tensor.shape, tensor.name, file_->name());
    if (offset > data_bytes || bytes > data_bytes - offset) {
      fail(tr_format("tensor {} has {} bytes from {} on and the file has {}: it is truncated or damaged, copy it again",
                     shown(tensor.name), bytes, offset, data_bytes));
    }
    tensor.bytes = file_->bytes().subspan(std::min<std::uint64_t>(start, file_->bytes().size()) + offset, bytes);
    if (bytes > 0) ranges.push_back({offset, offset + bytes, tensor.name});
    gguf.tensors.add(std::move(tensor));
  }
  check_no_overlap(ranges, file_->name());
}

}  // namespace

GgufFile open_gguf(const std::filesystem::path& path) {
  return GgufReader(std::make_shared<const MappedFile>(path)).read();
}

}  // namespace kvarium::cpu
