#pragma once
// What replay() and record_replay() share.

#include "core/replay/replay.h"

namespace kvarium {

/// InputError or MisuseError as replay() says.
void check_replay(const RequestTrace& trace, const EvictionPolicy& policy, std::uint64_t capacity);
/// Each block of the prompt is touched or, where it is not cached, inserted.
void use_tail_first(const TracedRequest& request, EvictionPolicy& policy);
/// One request more is done; only now and then, and at the end, is anything told.
void tell_progress(const OnProgress& on_progress, std::uint64_t done, std::uint64_t total);

}  // namespace kvarium
