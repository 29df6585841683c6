#include "cpu_reference/loaders/safetensors.h"

#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/byte_reader.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/json_file.h"

namespace kvarium::cpu {
namespace {

constexpr std::uint64_t kLongestHeader = 16ULL << 20;  ///< bytes: room for 100,000 tensors
constexpr std::size_t kMostSides = 8;                  ///< of a shape

/// The bytes of one number; nothing for a type that this reader does not know.
std::optional<std::uint64_t> bytes_of_type(const std::string& type) {
  static const std::map<std::string, std::uint64_t> kBytes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"U16", 2}, {"I16", 2}, {"F16", 2},
      {"BF16", 2}, {"U32", 4}, {"I32", 4}, {"F32", 4},     {"U64", 8},     {"I64", 8}, {"F64", 8}};
  const auto found = kBytes.find(type);
  return found == kBytes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<WeightType> weight_type(const std::string& type) {
  if (type == "F32") return WeightType::f32;
  if (type == "F16") return WeightType::f16;
  if (type == "BF16") return WeightType::bf16;
  return std::nullopt;
}

struct Entry {
  std::string type;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A list of whole numbers from 0 on; nothing when it is another thing, or longer than `most`.
std::optional<std::vector<std::uint64_t>> whole_numbers(const nlohmann::json& list, std::size_t most) {
  if (!list.is_array() || list.size() > most) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const nlohmann::json& number : list) {
    if (!number.is_number_unsigned()) return std::nullopt;
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

Entry entry_of(const std::string& tensor_name, const nlohmann::json& json, const std::string& file) {
  const auto fail = [&](std::string_view field) {
    fail_file(file, tr_format("tensor {} has no valid {}: the file is damaged", shown(tensor_name), field));
  };
  Entry entry;
  if (!json.is_object()) fail("entry");
  const auto type = json.find("dtype");
  if (type == json.end() || !type->is_string()) fail("dtype");
  entry.type = type->get<std::string>();
  const auto shape = json.find("shape");
  const auto sides = shape == json.end() ? std::nullopt : whole_numbers(*shape, kMostSides);
  if (!sides) fail("shape");
  entry.shape = *sides;
  const auto offsets = json.find("data_offsets");
  const auto range = offsets == json.end() ? std::nullopt : whole_numbers(*offsets, 2);
  if (!range || range->size() != 2) fail("data_offsets");
  entry.begin = range->front();
  entry.end = range->back();
  return entry;
}

/// The range lies in the data and has the bytes of the shape.
void check_range(const std::string& tensor_name, const Entry& entry, std::uint64_t data_bytes,
                 const std::string& file) {
  if (entry.begin > entry.end || entry.end > data_bytes) {
    fail_file(file, tr_format("tensor {} lies at bytes {} to {} of {}: the file is truncated or damaged, copy it again",
                              shown(tensor_name), entry.begin, entry.end, data_bytes));
  }
  const std::optional<std::uint64_t> each = bytes_of_type(entry.type);
  if (!each) return;  // its size cannot be known, and nobody will read it
  std::uint64_t expected = *each;
  for (const std::uint64_t side : entry.shape) {
    if (side != 0 && expected > std::numeric_limits<std::uint64_t>::max() / side) {
      fail_file(file, tr_format("tensor {} of shape {} has more bytes than 64 bits count: the file is damaged",
                                shown(tensor_name), shape_text(entry.shape)));
    }
    expected *= side;
  }
  if (entry.end - entry.begin != expected) {
    fail_file(file, tr_format("tensor {} of shape {} in {} needs {} bytes and has {}: the file is damaged",
                              shown(tensor_name), shape_text(entry.shape), shown(entry.type), expected,
                              entry.end - entry.begin));
  }
}

/// The ranges cover the data from its first byte to its last.
void check_cover(std::vector<TensorRange>& ranges, std::uint64_t data_bytes, const std::string& file) {
  check_no_overlap(ranges, file);
  std::uint64_t covered = 0;
  for (const TensorRange& range : ranges) {
    if (range.begin != covered) break;
    covered = range.end;
  }
  if (covered != data_bytes) {
    fail_file(file, tr_format("the bytes from {} on belong to no tensor: the file is damaged", covered));
  }
}

nlohmann::json header_of(ByteReader& reader) {
  const auto length = reader.number<std::uint64_t>(tr("the length of the header"));
  if (length > kLongestHeader) {
    fail_file(reader.file(), tr_format("a header of {} bytes is more than {}: the file is damaged or no safetensors",
                                       length, kLongestHeader));
  }
  const auto bytes = reader.take(length, tr("the header"));
  nlohmann::json header = parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 4, reader.file());
  if (!header.is_object()) {
    fail_file(reader.file(), std::string(tr("its header is no list of tensors: the file is damaged")));
  }
  if (header.size() > kMostTensors + 1) {  // and "__metadata__"
    fail_file(reader.file(),
              tr_format("{} tensors are more than {}: the file is damaged", header.size(), kMostTensors));
  }
  return header;
}

}  // namespace

TensorTable open_safetensors(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  ByteReader reader(file->bytes(), file->name());
  const nlohmann::json header = header_of(reader);
  const auto data = file->bytes().subspan(reader.position());

  TensorTable table;
  std::vector<TensorRange> ranges;
  for (const auto& [tensor_name, json] : header.items()) {
    if (tensor_name == "__metadata__") continue;
    const Entry entry = entry_of(tensor_name, json, file->name());
    check_range(tensor_name, entry, data.size(), file->name());
    if (entry.begin < entry.end) ranges.push_back({entry.begin, entry.end, tensor_name});
    if (const auto type = weight_type(entry.type)) {
      table.add({tensor_name, *type, entry.shape, data.subspan(entry.begin, entry.end - entry.begin), file});
    } else {
      table.add_unsupported(tensor_name, entry.type, file->name());
    }
  }
  check_cover(ranges, data.size(), file->name());
  return table;
}

namespace {

/// "model-00001-of-00002.safetensors": a name and no path, so that an index cannot lead anywhere else. An index names
/// no index: there is nothing to go round in.
void check_shard_name(const std::string& shard, const std::string& index) {
  const std::filesystem::path path(shard);
  const bool plain = shard.find_first_of("/\\:") == std::string::npos && shard.find('\0') == std::string::npos &&
                     path.extension() == ".safetensors";
  if (!plain) {
    fail_file(index, tr_format("it names the file {}: only names ending in .safetensors, in the same folder, are "
                               "allowed",
                               shown(shard)));
  }
}

}  // namespace

TensorTable open_sharded_safetensors(const std::filesystem::path& index_path) {
  const std::string index = index_path.string();
  const nlohmann::json json = read_json_file(index_path, 4);
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (!json.is_object() || map == json.end() || !map->is_object() || map->empty()) {
    fail_file(index, std::string(tr("it has no weight_map: it is damaged or no index of safetensors")));
  }
  if (map->size() > kMostTensors) {
    fail_file(index, tr_format("{} tensors are more than {}: the file is damaged", map->size(), kMostTensors));
  }
  std::map<std::string, TensorTable> shards;
  TensorTable table;
  for (const auto& [tensor_name, shard] : map->items()) {
    if (!shard.is_string()) {
      fail_file(index, tr_format("tensor {} has no file name: the file is damaged", shown(tensor_name)));
    }
    const auto shard_name = shard.get<std::string>();
    if (shards.count(shard_name) == 0) {
      check_shard_name(shard_name, index);
      shards.emplace(shard_name, open_safetensors(index_path.parent_path() / shard_name));
    }
    table.take(tensor_name, shards.at(shard_name), shard_name, index);
  }
  return table;
}

}  // namespace kvarium::cpu
