#include "core/eviction/policies.h"

#include <string>

#include "core/cost/plain_name.h"
#include "core/error.h"
#include "core/eviction/fifo.h"
#include "core/eviction/length_aware.h"
#include "core/eviction/lfu.h"
#include "core/eviction/lru.h"
#include "core/eviction/prefix_depth.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

template <typename Policy>
std::unique_ptr<EvictionPolicy> make() {
  return std::make_unique<Policy>();
}

}  // namespace

const std::vector<NamedPolicy>& eviction_policies() {
  static const std::vector<NamedPolicy> kPolicies{
      {"lru", "the least recently used block goes first", make<LruPolicy>},
      {"lfu", "the least frequently used block goes first", make<LfuPolicy>},
      {"length-aware", "as lfu; of equals the block furthest back in its prompt", make<LengthAwarePolicy>},
      {"fifo", "the block that was written first goes first", make<FifoPolicy>},
      {"prefix-depth", "the block furthest back in its prompt goes first", make<PrefixDepthPolicy>},
  };
  return kPolicies;
}

const NamedPolicy& find_eviction_policy(std::string_view name) {
  std::string known;
  for (const NamedPolicy& policy : eviction_policies()) {
    if (plain_name(policy.name) == plain_name(name)) return policy;
    known += (known.empty() ? "" : ", ") + std::string(policy.name);
  }
  throw InputError(tr_format("there is no eviction policy '{}': use one of {}", name, known));
}

}  // namespace kvarium
