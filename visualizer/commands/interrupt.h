#pragma once
// Ctrl-C: the first one asks the work in progress to stop, a second one ends the program at once.

#include "core/cancel.h"

namespace kvarium {

/// From now on the returned token is cancelled by Ctrl-C. It lives as long as the program.
CancelToken& cancelled_by_interrupt();

}  // namespace kvarium
