#pragma once
// All eviction policies by name.

#include <memory>
#include <string_view>
#include <vector>

#include "core/eviction/eviction_policy.h"

namespace kvarium {

struct NamedPolicy {
  std::string_view name;     ///< as on the command line: "length-aware"
  std::string_view meaning;  ///< who goes first, in English
  std::unique_ptr<EvictionPolicy> (*make)();
};

const std::vector<NamedPolicy>& eviction_policies();

/// Capitals and hyphens do not matter. InputError that lists the names when there is no such policy.
const NamedPolicy& find_eviction_policy(std::string_view name);

}  // namespace kvarium
