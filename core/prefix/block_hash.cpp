#include "core/prefix/block_hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // all of the library is in its header
#include <xxhash.h>

#include <cstring>

#include "core/error.h"

namespace kvarium {

/// The bytes that are hashed, in the order of a little-endian machine: the kind (8 bytes, so that no salt can spell a
/// block), then of a root the seed (8) and the scope, of a block its parent (high 8, low 8), tokens (4 each) and media.
class BlockHasher::Input {
 public:
  enum class Kind : std::uint64_t { root, block };

  Input(Kind kind, std::size_t payload) {
    bytes_.reserve(sizeof(Kind) + payload);
    add(&kind, sizeof kind);
  }
  Input& add(const void* data, std::size_t size) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + size);
    if (size > 0) std::memcpy(bytes_.data() + end, data, size);
    return *this;
  }
  XXH128_hash_t hash() const { return XXH3_128bits(bytes_.data(), bytes_.size()); }

  /// One block after another through the same buffer, of which all but the media has the same size each time.
  XXH128_hash_t hash_block(const BlockHash& parent, std::span<const TokenId> tokens, std::string_view media) {
    bytes_.resize(sizeof(Kind) + sizeof parent + tokens.size_bytes());
    std::memcpy(bytes_.data() + sizeof(Kind), &parent, sizeof parent);
    std::memcpy(bytes_.data() + sizeof(Kind) + sizeof parent, tokens.data(), tokens.size_bytes());
    if (!media.empty()) add(media.data(), media.size());
    return hash();
  }

 private:
  std::vector<unsigned char> bytes_;
};

BlockHasher::BlockHasher(std::uint32_t block_size, unsigned bits, std::uint64_t seed)
    : block_size_(block_size), seed_(seed) {
  if (block_size == 0) throw InputError("block size 0: a block must hold at least 1 token");
  if (bits == 0 || bits > 128) throw InputError(fmt::format("a hash of {} bits: give 1 to 128", bits));
  const auto ones = [](unsigned count) { return count >= 64 ? UINT64_MAX : (std::uint64_t{1} << count) - 1; };
  mask_ = {bits > 64 ? ones(bits - 64) : 0, ones(bits)};
}

BlockHash BlockHasher::cut(std::uint64_t high, std::uint64_t low) const { return {high & mask_.high, low & mask_.low}; }

BlockHash BlockHasher::root(const ExtraKeys& keys) const {
  const std::string scope = tagged_scope(keys);
  Input input(Input::Kind::root, sizeof seed_ + scope.size());
  const XXH128_hash_t hash = input.add(&seed_, sizeof seed_).add(scope.data(), scope.size()).hash();
  return cut(hash.high64, hash.low64);
}

BlockHash BlockHasher::block(const BlockHash& parent, std::span<const TokenId> tokens, std::string_view media) const {
  if (tokens.size() != block_size_) {
    throw MisuseError(
        fmt::format("only full blocks have a hash: {} tokens for a block of {}", tokens.size(), block_size_));
  }
  Input input(Input::Kind::block, sizeof parent + tokens.size_bytes() + media.size());
  const XXH128_hash_t hash = input.hash_block(parent, tokens, media);
  return cut(hash.high64, hash.low64);
}

void BlockHasher::extend(std::vector<BlockHash>& hashes, std::span<const TokenId> tokens, const ExtraKeys& keys) const {
  const std::size_t blocks = tokens.size() / block_size_;
  if (hashes.size() >= blocks) return;
  hashes.reserve(blocks);
  BlockHash parent = hashes.empty() ? root(keys) : hashes.back();
  Input input(Input::Kind::block, sizeof parent + block_size_ * sizeof(TokenId));
  for (std::size_t i = hashes.size(); i < blocks; ++i) {
    const auto first = static_cast<std::uint32_t>(i * block_size_);
    const std::string media = keys.media.empty() ? std::string() : tagged_media(keys, first, block_size_);
    const XXH128_hash_t hash = input.hash_block(parent, tokens.subspan(first, block_size_), media);
    parent = cut(hash.high64, hash.low64);
    hashes.push_back(parent);
  }
}

std::vector<BlockHash> BlockHasher::hashes(std::span<const TokenId> tokens, const ExtraKeys& keys) const {
  std::vector<BlockHash> all;
  extend(all, tokens, keys);
  return all;
}

std::string show(const BlockHash& hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

}  // namespace kvarium
