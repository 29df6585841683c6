#pragma once
// Distinct types for the numbers that must not be mixed up: a request id can never index the block pool.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kvarium {

enum class BlockId : std::uint32_t {};    ///< a physical block (page) of a BlockPool
enum class RequestId : std::uint32_t {};  ///< one request: a prompt and what is generated after it
enum class TokenId : std::int32_t {};     ///< a row of the vocabulary
enum class Slot : std::uint64_t {};       ///< one token's place in the pool: block * block_size + offset
enum class NodeId : std::uint32_t {};     ///< a node of a radix tree of cached prefixes

/// 128 bits that stand for the tokens of a full block and for all that came before it.
struct BlockHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const BlockHash&) const = default;
};

/// The plain number behind an id.
template <typename Id>
constexpr std::underlying_type_t<Id> value(Id id) noexcept {
  static_assert(std::is_enum_v<Id>);
  return static_cast<std::underlying_type_t<Id>>(id);
}

/// The id as an index into a vector.
template <typename Id>
constexpr std::size_t index(Id id) noexcept {
  return static_cast<std::size_t>(value(id));
}

/// The letter of a request in every picture and text: A, B, ..., Z, A1, B1, ...
inline std::string letter(RequestId request) {
  const std::uint32_t number = value(request);
  std::string name(1, static_cast<char>('A' + number % 26));
  return number < 26 ? name : name + std::to_string(number / 26);
}

}  // namespace kvarium
