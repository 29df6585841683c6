#include "cpu_reference/tokenizer/tokenizer_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

// Larger than any vocabulary: what is larger is another kind of file, and need not be read to say so.
constexpr std::uintmax_t kLargestFile = std::uintmax_t{64} << 20U;

/// Reads from the front of the bytes; never past their end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }
  std::string_view bytes(std::size_t count, std::string_view what) {
    if (count > bytes_.size() - at_) {
      throw InputError(tr_format("it ends at byte {}, inside {}: is the file complete?", bytes_.size(), what));
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  std::uint32_t number(std::string_view what) {
    std::uint32_t result = 0;
    for (const char byte : bytes(4, what)) {
      result = (result >> 8U) | (std::uint32_t{static_cast<unsigned char>(byte)} << 24U);
    }
    return result;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::int32_t as_int(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

float as_float(std::uint32_t bits) {
  static_assert(sizeof(float) == sizeof(bits));
  float number = 0.0F;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw InputError(tr_format("it cannot be read ({})", error.message()));
  if (size > kLargestFile) throw InputError(tr_format("with {} bytes it is too large to be a tokenizer", size));
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw InputError(std::string(tr("it cannot be read")));
  }
  return bytes;
}

constexpr std::size_t kFirstByte = 3;
constexpr std::size_t kBytes = 256;

bool holds_all_bytes(const std::vector<Piece>& pieces) {
  if (pieces.size() < kFirstByte + kBytes) return false;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if (pieces[kFirstByte + byte].bytes != fmt::format("<0x{:02X}>", byte)) return false;
  }
  return true;
}

}  // namespace

std::vector<Piece> parse_tokenizer(std::string_view file) {
  Reader reader(file);
  const std::int32_t longest = as_int(reader.number(tr("the header")));
  if (longest <= 0) throw InputError(tr_format("its header says that the longest piece has {} bytes", longest));
  std::vector<Piece> pieces;
  while (!reader.at_end()) {
    const std::size_t start = reader.at();
    const std::string name = tr_format("piece {}", pieces.size());
    const float score = as_float(reader.number(name));
    const std::int32_t length = as_int(reader.number(name));
    if (!std::isfinite(score)) throw InputError(tr_format("at byte {}: the score of {} is {}", start, name, score));
    if (length <= 0 || length > longest) {
      throw InputError(tr_format("at byte {}: the length of {} is {}, outside 1..{}", start, name, length, longest));
    }
    pieces.push_back({std::string(reader.bytes(static_cast<std::size_t>(length), name)), score});
  }
  return pieces;
}

std::unique_ptr<SpmTokenizer> llama2c_tokenizer(std::vector<Piece> pieces) {
  constexpr std::size_t kSpecials = 3;
  if (pieces.size() < kSpecials) {
    throw InputError(tr_format("a vocabulary of {} pieces lacks <unk>, <s> and </s>, its first three", pieces.size()));
  }
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].bytes.empty()) throw InputError(tr_format("piece {} of the vocabulary is empty", id));
  }
  constexpr TokenId kBegin{1}, kEnd{2};
  pieces[0].kind = TokenKind::unknown;
  pieces[index(kBegin)] = {"<s>", 0, TokenKind::control};  // the file has line feeds around it
  pieces[index(kEnd)] = {"</s>", 0, TokenKind::control};
  if (holds_all_bytes(pieces)) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) pieces[kFirstByte + byte].kind = TokenKind::byte;
  }
  SpmRules rules;
  rules.space = " ";
  AddedTokens added(added_tokens_of(pieces));
  return std::make_unique<SpmTokenizer>(std::move(pieces), SpecialTokens{kBegin, true, {kBegin, kEnd}, ""},
                                        std::move(added), std::move(rules));
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path, std::optional<std::size_t> vocab) {
  try {
    auto tokenizer = llama2c_tokenizer(parse_tokenizer(read_file(path)));
    if (vocab && *vocab != tokenizer->vocab()) {
      throw InputError(tr_format("it has {} pieces, but the model's vocabulary has {}: they do not belong together",
                                 tokenizer->vocab(), *vocab));
    }
    return tokenizer;
  } catch (const InputError& error) {
    throw InputError(tr_format("tokenizer {}: {}", path.string(), error.what()));
  }
}

}  // namespace kvarium::cpu
