#pragma once
// Traffic of an invented server, for when no trace of a real one is at hand: it has the shape of Mooncake's traces, and
// no number of it was ever measured.

#include <cstdint>

#include "core/replay/request_trace.h"

namespace kvarium {

/// Blocks of 512 tokens. Three assistants, each with a system prompt of its own that all its conversations begin with;
/// a conversation brings a text along and goes on for some turns, each of which repeats all before it and adds a
/// little; in between, prompts as long as a book chapter that come once and never again. The last block of a prompt is
/// partial and its own. The same seed gives the same trace on every machine.
RequestTrace made_up_trace(std::uint32_t requests, std::uint64_t seed);

}  // namespace kvarium
