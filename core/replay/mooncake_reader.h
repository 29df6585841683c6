#pragma once
// The traces that Mooncake published (kvcache-ai/Mooncake, FAST'25): one JSON object a line, a prompt as ids of its
// blocks of 512 tokens. An id stands for the tokens of its block and of all before it (a chained hash), so equal ids
// are an equal prefix, and an id has the same predecessor wherever it appears.

#include <istream>
#include <optional>
#include <string>

#include "core/replay/line_reader.h"
#include "core/replay/request_trace.h"

namespace kvarium {

inline constexpr std::uint32_t kMooncakeBlockSize = 512;  ///< tokens

/// Reads {"timestamp": ms, "input_length": tokens, "output_length": tokens, "hash_ids": [...]}, line by line, checking
/// each: whole numbers that are not negative, ceil(input_length / 512) ids, times that never go back, each id after
/// the same predecessor as before. Other members are passed over. InputError names the line; `name` is the file's.
/// None when cancelled.
std::optional<RequestTrace> read_mooncake(std::istream& in, const std::string& name, const OnProgress& on_progress,
                                          const CancelToken& cancel);

}  // namespace kvarium
