#pragma once
// The name of a full block in the prefix cache: a hash over its tokens, over the name of the block before it, and over
// whatever else its K and V depend on (vLLM: hash_block_tokens).
//
//   root(salt, adapter) -> H0 = block(root, tokens 0..3) -> H1 = block(H0, tokens 4..7) -> ...
//
// The chain is what makes H1 stand for the whole prefix: the same four tokens after another beginning have another
// name, as their K and V are others. (vLLM puts salt and adapter into the first block's key; the root is the same,
// tidier.)

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/prefix/extra_keys.h"

namespace kvarium {

/// XXH3 of 128 bits: about 40 ns a block of 16 tokens. It spreads well, but whoever may choose prompts can construct
/// two with the same hash. A server for strangers needs a cryptographic hash, which costs more, a secret salt for each
/// tenant, or verification of the tokens (HashCacheOptions::verify_tokens), which turns every collision into a miss.
class BlockHasher {
 public:
  /// `bits`: how much of each hash is kept, 1 to 128. With 8, prompts are soon confused, which is the point: a way to
  /// see poisoning happen. `seed`: caches with another seed share no names. InputError for bits or a block size out of
  /// range.
  explicit BlockHasher(std::uint32_t block_size, unsigned bits = 128, std::uint64_t seed = 0);

  std::uint32_t block_size() const { return block_size_; }
  /// What stands before the first block: the seed, the tenant's salt and the adapter.
  BlockHash root(const ExtraKeys& keys = {}) const;
  /// `tokens`: one whole block, else MisuseError. `media`: tagged_media() of the block.
  BlockHash block(const BlockHash& parent, std::span<const TokenId> tokens, std::string_view media = {}) const;
  /// Appends the hashes of those full blocks of `tokens` that `hashes` lacks. Tokens behind the last full block have
  /// none.
  void extend(std::vector<BlockHash>& hashes, std::span<const TokenId> tokens, const ExtraKeys& keys = {}) const;
  std::vector<BlockHash> hashes(std::span<const TokenId> tokens, const ExtraKeys& keys = {}) const;

 private:
  class Input;

  BlockHash cut(std::uint64_t high, std::uint64_t low) const;

  std::uint32_t block_size_;
  BlockHash mask_;
  std::uint64_t seed_;
};

/// 32 hexadecimal digits.
std::string show(const BlockHash& hash);

}  // namespace kvarium
