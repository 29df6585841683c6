#include "core/prefix/make_prefix_cache.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "core/error.h"
#include "core/prefix/hash_prefix_cache.h"
#include "core/prefix/radix_prefix_cache.h"
#include "core/token_text.h"

namespace kvarium {

std::unique_ptr<PrefixCache> make_prefix_cache(const PrefixCacheConfig& config, BlockPool& pool) {
  switch (config.kind) {
    case PrefixCaching::off:
      return no_prefix_cache(pool);
    case PrefixCaching::hash:
      return std::make_unique<HashPrefixCache>(pool, config.hash, config.hash_bits, config.hash_seed, config.fault);
    case PrefixCaching::radix:
      return std::make_unique<RadixPrefixCache>(pool, config.fault);
  }
  throw MisuseError("a prefix cache of number " + std::to_string(static_cast<int>(config.kind)));
}

PrefixCaching find_prefix_caching(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "off") return PrefixCaching::off;
  if (lower == "hash") return PrefixCaching::hash;
  if (lower == "radix") return PrefixCaching::radix;
  throw InputError("there is no prefix cache \"" + printable(name) + "\"; there are: off, hash, radix");
}

}  // namespace kvarium
