#include "core/replay/request_trace.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {

std::uint64_t arrival_ns(const TracedRequest& request) {
  constexpr double kNanosecondsPerMillisecond = 1e6;
  const double arrival = request.arrival_ms;
  if (!(arrival >= 0 && arrival <= static_cast<double>(kLongestArrivalMs))) {
    throw InputError(
        tr_format("a request arrives at {} ms: a time from 0 to {} ms is needed", arrival, kLongestArrivalMs));
  }
  return static_cast<std::uint64_t>(arrival * kNanosecondsPerMillisecond);
}

RequestTrace first_requests(RequestTrace trace, std::size_t count) {
  if (count >= trace.requests.size()) return trace;
  trace.requests.resize(count);
  trace.block_references = 0;
  trace.distinct_blocks = 0;  // blocks are numbered in order of appearance: none is missing below the largest
  for (const TracedRequest& request : trace.requests) {
    trace.block_references += request.blocks.size();
    for (const BlockId block : request.blocks) {
      trace.distinct_blocks = std::max(trace.distinct_blocks, std::uint64_t{value(block)} + 1);
    }
  }
  return trace;
}

}  // namespace kvarium
