#include "cpu_reference/loaders/llama2c.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/model/weights.h"

// Version 0: 7 int32 (dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, max_seq_len), a negative vocab_size
// saying that the classifier is a matrix of its own; then
//   embedding | attention norms | wq | wk | wv | wo | ffn norms | w1 | w2 | w3 | final norm | cosines | sines |
//   classifier
// Version 1: "ak42", int32 1, the same 7 int32, one byte "classifier is shared", zeros up to byte 256; then
//   attention norms | ffn norms | final norm | embedding | wq | wk | wv | wo | w1 | w2 | w3 | classifier
// Each of the plural pieces holds all layers. w1 is the gate, w2 the down, w3 the up projection. The cosines and sines
// of version 0 are tables of RoPE, [max_seq_len][head_dim / 2] each, which Kvarium computes itself.

namespace kvarium::cpu {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are read as they lie in the file");

constexpr std::uint32_t kMagic = 0x616b3432;  // "ak42"
constexpr std::uint64_t kHeaderBytesV0 = 28;
constexpr std::uint64_t kHeaderBytesV1 = 256;

struct Header {
  ModelConfig config;
  int version = 0;
};

/// A piece of the file in its order; without a place it is skipped.
struct Piece {
  std::string name;
  float* place;
  std::uint64_t count;  ///< floats
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(tr_format("model file {}: {}", path, what));
}

std::int32_t int_at(const std::array<char, kHeaderBytesV1>& bytes, std::size_t offset) {
  std::int32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

/// The 7 numbers that both versions share, at `offset`. A negative number becomes 0, which check() rejects; the
/// vocabulary's sign is the caller's business.
ModelConfig config_at(const std::array<char, kHeaderBytesV1>& bytes, std::size_t offset, const std::string& path) {
  std::array<std::uint32_t, 7> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t number = int_at(bytes, offset + 4 * i);
    const bool is_vocab = i == 5;
    if (number < 0 && !is_vocab) {
      fail(path,
           tr_format("header number {} is {}, below 0: the file is damaged or no llama2.c checkpoint", i + 1, number));
    }
    numbers[i] = static_cast<std::uint32_t>(number < 0 ? -number : number);
  }
  const auto [hidden, ffn_hidden, layers, query_heads, kv_heads, vocab, context] = numbers;
  if (query_heads == 0 || hidden % query_heads != 0) {
    fail(path, tr_format("a width of {} cannot be divided into {} query heads: the file is damaged or no llama2.c "
                         "checkpoint",
                         hidden, query_heads));
  }
  ModelConfig config;
  config.shape.name = std::filesystem::path(path).stem().string();
  config.shape.layers = layers;
  config.shape.query_heads = query_heads;
  config.shape.kv_heads = kv_heads;
  config.shape.head_dim = hidden / query_heads;
  config.shape.hidden = hidden;
  config.shape.vocab = vocab;
  config.shape.context = context;
  config.ffn_hidden = ffn_hidden;
  return config;
}

Header read_header(std::ifstream& file, std::uint64_t file_bytes, const std::string& path) {
  if (file_bytes < kHeaderBytesV0) {
    fail(path, tr_format("{} bytes are too few for a header of {}: it is no complete llama2.c checkpoint", file_bytes,
                         kHeaderBytesV0));
  }
  std::array<char, kHeaderBytesV1> bytes{};
  const auto wanted = static_cast<std::streamsize>(std::min(file_bytes, kHeaderBytesV1));
  if (!file.read(bytes.data(), wanted)) fail(path, std::string(tr("the header cannot be read: check the disk")));

  Header header;
  if (static_cast<std::uint32_t>(int_at(bytes, 0)) == kMagic) {
    header.version = int_at(bytes, 4);
    if (header.version != 1) {
      fail(path, tr_format("version {} is not supported: export it again as version 0 or 1 (float32)", header.version));
    }
    if (file_bytes < kHeaderBytesV1) {
      fail(path, tr_format("{} bytes are too few for a header of {}: the file is truncated, copy it again", file_bytes,
                           kHeaderBytesV1));
    }
    if (int_at(bytes, 28) < 0)
      fail(path, tr_format("the size of the vocabulary is {}: the file is damaged", int_at(bytes, 28)));
    header.config = config_at(bytes, 8, path);
    const auto shared = static_cast<unsigned char>(bytes[36]);
    if (shared > 1)
      fail(path, tr_format("the flag of the shared classifier is {}, not 0 or 1: the file is damaged", shared));
    header.config.tied_head = shared == 1;
  } else {
    header.config = config_at(bytes, 0, path);
    header.config.tied_head = int_at(bytes, 20) > 0;
  }
  check(header.config, tr_format("model file {}", path));
  return header;
}

std::uint64_t expected_bytes(const Header& header) {
  const ModelShape& shape = header.config.shape;
  const std::uint64_t rope_tables = header.version == 0 ? std::uint64_t{shape.context} * shape.head_dim : 0;
  return (header.version == 0 ? kHeaderBytesV0 : kHeaderBytesV1) +
         (num_parameters(header.config) + rope_tables) * sizeof(float);
}

Piece whole(const WeightMatrix& weight, std::string name) {
  return {std::move(name), writable_f32(weight).data(), weight.numbers()};
}
Piece whole(Vector& weight, std::string name) {
  return {std::move(name), weight.data(), static_cast<std::uint64_t>(weight.size())};
}

/// `member` of every layer.
template <typename Weight>
void add_layers(std::vector<Piece>& pieces, std::vector<LayerWeights>& layers, Weight LayerWeights::*member,
                const char* name) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    pieces.push_back(whole(layers[l].*member, fmt::format("{} of layer {}", name, l)));
  }
}

std::vector<Piece> pieces_in_file_order(const Header& header, Weights& weights) {
  const ModelShape& shape = header.config.shape;
  const bool legacy = header.version == 0;
  std::vector<Piece> pieces;
  if (legacy) pieces.push_back(whole(weights.embedding, "the embedding"));
  add_layers(pieces, weights.layers, &LayerWeights::attention_norm, "the attention norm");
  if (!legacy) {
    add_layers(pieces, weights.layers, &LayerWeights::ffn_norm, "the feed-forward norm");
    pieces.push_back(whole(weights.final_norm, "the final norm"));
    pieces.push_back(whole(weights.embedding, "the embedding"));
  }
  add_layers(pieces, weights.layers, &LayerWeights::query, "wq");
  add_layers(pieces, weights.layers, &LayerWeights::key, "wk");
  add_layers(pieces, weights.layers, &LayerWeights::value, "wv");
  add_layers(pieces, weights.layers, &LayerWeights::output, "wo");
  if (legacy) add_layers(pieces, weights.layers, &LayerWeights::ffn_norm, "the feed-forward norm");
  add_layers(pieces, weights.layers, &LayerWeights::gate, "w1");
  add_layers(pieces, weights.layers, &LayerWeights::down, "w2");
  add_layers(pieces, weights.layers, &LayerWeights::up, "w3");
  if (legacy) {
    pieces.push_back(whole(weights.final_norm, "the final norm"));
    pieces.push_back({"the tables of RoPE", nullptr, std::uint64_t{shape.context} * shape.head_dim});
  }
  if (!header.config.tied_head) pieces.push_back(whole(weights.head, "the classifier"));
  return pieces;
}

void read_piece(std::ifstream& file, const Piece& piece, const std::string& path) {
  const auto bytes = static_cast<std::streamsize>(piece.count * sizeof(float));
  if (piece.place == nullptr) {
    file.seekg(bytes, std::ios::cur);
  } else {
    file.read(reinterpret_cast<char*>(piece.place), bytes);
  }
  if (!file) fail(path, tr_format("{} cannot be read: check the disk", piece.name));
  if (piece.place == nullptr) return;
  for (std::uint64_t i = 0; i < piece.count; ++i) {
    if (!std::isfinite(piece.place[i])) {
      fail(path,
           tr_format("number {} of {} is {}: the file is damaged, use another copy", i, piece.name, piece.place[i]));
    }
  }
}

}  // namespace

std::shared_ptr<const Model> load_llama2c(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) fail(path, std::string(tr("there is no such file: check the path")));
  if (!std::filesystem::is_regular_file(path, error)) fail(path, std::string(tr("it is not a file: name a .bin file")));
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) fail(path, std::string(tr("it cannot be opened: check its permissions")));
  if (file_bytes == 0) fail(path, std::string(tr("it is empty: download it again")));

  const Header header = read_header(file, file_bytes, path);
  const std::uint64_t expected = expected_bytes(header);
  if (file_bytes != expected) {
    fail(path, tr_format("it has {} bytes, and its header asks for {}: it is {}", file_bytes, expected,
                         file_bytes < expected ? tr("truncated or damaged, copy it again")
                                               : tr("longer than its weights, so it is damaged or of another format")));
  }
  const auto model = std::make_shared<Model>(header.config, path);
  file.seekg(static_cast<std::streamoff>(header.version == 0 ? kHeaderBytesV0 : kHeaderBytesV1));
  for (const Piece& piece : pieces_in_file_order(header, model->weights)) read_piece(file, piece, path);
  return model;
}

}  // namespace kvarium::cpu
