#pragma once
// What a production server was asked, without a word of text: when requests came, how long they were, and (where the
// trace has them) which blocks of their prompts were equal.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace kvarium {

struct TracedRequest {
  double arrival_ms = 0;            ///< never before that of the request above
  std::uint32_t input_tokens = 0;   ///< prompt
  std::uint32_t output_tokens = 0;  ///< answer
  /// One a block of the prompt, head first; the last block may be partial. Equal ids: equal tokens up to here. The ids
  /// of the file, numbered anew from 0 in order of appearance.
  std::vector<BlockId> blocks;
};

struct RequestTrace {
  std::uint32_t block_size = 0;  ///< tokens; 0: the trace does not say which blocks are equal
  std::vector<TracedRequest> requests;
  std::uint64_t distinct_blocks = 0;
  std::uint64_t block_references = 0;  ///< all lists of blocks together
  bool made_up = false;                ///< by a program; no server ever saw it
};

/// 10^13 ms, three centuries: in nanoseconds it fits in 64 bits, with room for a run that goes on for as long again.
constexpr std::uint64_t kLongestArrivalMs = 10'000'000'000'000;

/// Tokens of a prompt, and of an answer: far more than any model reads or writes. A simulation takes a step for each.
constexpr std::uint32_t kMostTracedTokens = 16'777'216;

/// When the request came, in nanoseconds. InputError: before 0, after kLongestArrivalMs, or no number.
std::uint64_t arrival_ns(const TracedRequest& request);

/// Only the first `count` requests, or all where there are fewer.
RequestTrace first_requests(RequestTrace trace, std::size_t count);

}  // namespace kvarium
