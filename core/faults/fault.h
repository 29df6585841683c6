#pragma once
// The bug zoo: mistakes that real systems have made, each as a switch that is off by default, so that one can watch
// what it does and which invariant notices it.

#include <cstdint>
#include <string_view>
#include <vector>

namespace kvarium {

enum class Fault : std::uint8_t {
  none,
  hash_without_parent,     ///< a block's hash covers its own tokens only, not what came before
  salt_mixed_up,           ///< the tenant's salt and the adapter are left out of the hash (vllm#3263, #44701)
  hit_before_compute,      ///< blocks can be found as soon as they are handed out (nano-vllm#208)
  tail_block_leak,         ///< who finishes keeps its last block
  double_free,             ///< who finishes lets each of its blocks go twice (vllm#33377)
  flat_lru,                ///< the radix tree evicts the least recently used node, whether or not it is a leaf
  queue_changed_in_a_loop  ///< the scheduler takes requests out of the queue that it walks along, and skips every other
};

struct NamedFault {
  Fault fault{};
  std::string_view name;     ///< as on the command line: "double-free"
  std::string_view meaning;  ///< what goes wrong, in English
};

/// All but Fault::none.
const std::vector<NamedFault>& faults();
/// "none" or a name of faults(); capitals and hyphens do not matter. InputError that lists the names otherwise.
Fault find_fault(std::string_view name);

}  // namespace kvarium
