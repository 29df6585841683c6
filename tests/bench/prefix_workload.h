#pragma once
// The workloads of the prefix-cache benchmarks: the same numbers on every machine, whatever the language or the engine.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace kvarium_bench {

using kvarium::TokenId;

inline constexpr std::size_t kNumRequests = 20'000;
inline constexpr std::size_t kPromptTokens = 512;
inline constexpr std::size_t kSharedTokens = 304;  ///< 19 pages of 16; the other 208 tokens are the request's own
inline constexpr std::uint32_t kPageSize = 16;
inline constexpr std::uint32_t kNumPages = 16'384;  ///< 262,144 tokens
inline constexpr std::size_t kInFlight = 32;        ///< requests that hold their blocks at the same time

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014) of the x-th state.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// A random token: token `j` of sequence `of` of a kind.
inline TokenId token_of(std::uint64_t kind, std::uint64_t of, std::uint64_t j) {
  constexpr std::uint64_t kVocabulary = 32'000;
  return TokenId{static_cast<std::int32_t>(mix((kind << 40U) | (of << 16U) | j) % kVocabulary)};
}

/// [kNumRequests * kPromptTokens]: each prompt begins with one of `num_prefixes` shared prefixes. 64 of them stay hot
/// (W2); 2048 are more than the cache holds, so that they are evicted (W2b).
inline std::vector<TokenId> prompts(std::uint64_t num_prefixes) {
  std::vector<TokenId> all;
  all.reserve(kNumRequests * kPromptTokens);
  for (std::uint64_t i = 0; i < kNumRequests; ++i) {
    const std::uint64_t prefix = mix((std::uint64_t{2} << 40U) | i) % num_prefixes;
    for (std::uint64_t j = 0; j < kPromptTokens; ++j) {
      all.push_back(j < kSharedTokens ? token_of(1, prefix, j) : token_of(3, i, j));
    }
  }
  return all;
}

/// Hit tokens of any cache that evicts page by page, the least recently used first.
inline std::uint64_t expected_hits(std::uint64_t num_prefixes) { return num_prefixes == 64 ? 6'060'544 : 1'423'024; }
/// Hit tokens of a tree that evicts whole nodes: a prompt whose prefix nobody shared yet leaves all at once.
inline std::uint64_t expected_hits_by_node(std::uint64_t num_prefixes) {
  return num_prefixes == 64 ? 6'060'544 : 1'376'512;
}

}  // namespace kvarium_bench
