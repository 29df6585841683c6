#pragma once
// Does anybody listen? Making an event costs more than asking: whoever announces every block asks first.

#include <typeinfo>

#include "core/trace/event_sink.h"

namespace kvarium {

/// False when events would go straight to a NullSink. True may be wrong, which costs time and nothing else.
inline bool heard(const EventSink& sink) { return &typeid(sink) != &typeid(NullSink); }

}  // namespace kvarium
