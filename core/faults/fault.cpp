#include "core/faults/fault.h"

#include <string>

#include "core/cost/plain_name.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {

const std::vector<NamedFault>& faults() {
  static const std::vector<NamedFault> kFaults{
      {Fault::hash_without_parent, "hash-without-parent", "a block's hash leaves out what came before the block"},
      {Fault::salt_mixed_up, "salt-mixed-up", "the hash leaves out the tenant's salt and the adapter"},
      {Fault::hit_before_compute, "hit-before-compute", "blocks can be found before their K and V are computed"},
      {Fault::tail_block_leak, "tail-block-leak", "a request that finishes keeps its last block"},
      {Fault::double_free, "double-free", "a request that finishes lets each of its blocks go twice"},
      {Fault::flat_lru, "flat-lru", "the radix tree evicts what is least recently used, leaf or not"},
      {Fault::queue_changed_in_a_loop, "queue-changed-in-a-loop",
       "the scheduler takes requests out of the queue that it walks along, and skips every other"},
  };
  return kFaults;
}

Fault find_fault(std::string_view name) {
  if (plain_name(name) == "none") return Fault::none;
  std::string known = "none";
  for (const NamedFault& named : faults()) {
    if (plain_name(named.name) == plain_name(name)) return named.fault;
    known += ", " + std::string(named.name);
  }
  throw InputError(tr_format("there is no fault '{}': use one of {}", name, known));
}

}  // namespace kvarium
