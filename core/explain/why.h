#pragma once
// Why a block or a node was evicted, why a request was preempted: one sentence each, from the events alone.

#include <cstddef>
#include <string>
#include <vector>

#include "core/explain/miss_explainer.h"
#include "core/trace/trace.h"

namespace kvarium {

// All look at the first `end` events of the trace. Empty: it did not happen.

/// Of the block's last eviction: "Block 3 was evicted in step 5: request C needed a block and ...".
std::string why_evicted(const Trace& trace, BlockId block, std::size_t end = SIZE_MAX);
/// Of the radix node's last removal.
std::string why_removed(const Trace& trace, NodeId node, std::size_t end = SIZE_MAX);
/// Of the request's last preemption.
std::string why_preempted(const Trace& trace, RequestId request, std::size_t end = SIZE_MAX);

/// All that can be said of the request's text: a line that sums it up, then a line for each block, or for each run of
/// blocks with the same reason. Says so in one line when there is nothing to explain.
std::vector<std::string> explain(const Trace& trace, RequestId request, std::size_t end = SIZE_MAX);
/// The same lines for one block of its text.
std::vector<std::string> explain_block(const Trace& trace, RequestId request, std::size_t logical,
                                       std::size_t end = SIZE_MAX);

}  // namespace kvarium
