#pragma once
// Which prefix cache an engine has.

#include <memory>
#include <string_view>

#include "core/faults/fault.h"
#include "core/prefix/hash_cache.h"
#include "core/prefix/prefix_cache.h"

namespace kvarium {

enum class PrefixCaching : std::uint8_t { off, hash, radix };

struct PrefixCacheConfig {
  PrefixCaching kind = PrefixCaching::off;
  HashCacheOptions hash = {};  ///< with PrefixCaching::hash
  unsigned hash_bits = 128;    ///< of each hash that are kept; few of them show what a collision does
  std::uint64_t hash_seed = 0;
  Fault fault = Fault::none;
};

/// InputError for options that do not go together. The pool must outlive the cache.
std::unique_ptr<PrefixCache> make_prefix_cache(const PrefixCacheConfig& config, BlockPool& pool);

/// "off", "hash" or "radix"; capitals do not matter. InputError that lists them otherwise.
PrefixCaching find_prefix_caching(std::string_view name);

}  // namespace kvarium
