#include "cpu_reference/tokenizer/byte_symbols.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/utf8.h"

namespace kvarium::cpu {
namespace {

// Bytes that are a visible character of Latin-1 stand for themselves; the others, in order, are U+0100, U+0101, ...
bool stands_for_itself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

constexpr unsigned kFirstOther = 0x100;
constexpr std::size_t kSymbols = 0x100 + 68;  // 68 bytes are not visible

struct Table {
  std::array<unsigned, 256> symbol_of{};
  std::array<int, kSymbols> byte_of{};  ///< -1: none

  Table() {
    byte_of.fill(-1);
    unsigned next = kFirstOther;
    for (unsigned byte = 0; byte < 256; ++byte) {
      symbol_of[byte] = stands_for_itself(byte) ? byte : next++;
      byte_of[symbol_of[byte]] = static_cast<int>(byte);
    }
  }
};

const Table& table() {
  static const Table kTable;
  return kTable;
}

}  // namespace

std::optional<std::string> bytes_of_symbols(std::string_view symbols) {
  std::string bytes;
  for (std::size_t at = 0; at < symbols.size();) {
    const std::size_t length = utf8_length(symbols, at);
    if (length != 1 && length != 2) return {};  // all symbols are below U+0800
    unsigned code = static_cast<unsigned char>(symbols[at]);
    if (length == 2) code = ((code & 0x1FU) << 6U) | (static_cast<unsigned char>(symbols[at + 1]) & 0x3FU);
    if (code >= kSymbols || table().byte_of[code] < 0) return {};
    bytes += static_cast<char>(table().byte_of[code]);
    at += length;
  }
  return bytes;
}

std::string symbols_of_bytes(std::string_view bytes) {
  std::string symbols;
  for (const char byte : bytes) {
    const unsigned code = table().symbol_of[static_cast<unsigned char>(byte)];
    if (code < 0x80) {
      symbols += static_cast<char>(code);
    } else {
      symbols += static_cast<char>(0xC0U | (code >> 6U));
      symbols += static_cast<char>(0x80U | (code & 0x3FU));
    }
  }
  return symbols;
}

}  // namespace kvarium::cpu
