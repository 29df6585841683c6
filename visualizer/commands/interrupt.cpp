#include "visualizer/commands/interrupt.h"

#include <csignal>

namespace kvarium {
namespace {

CancelToken& token() {
  static CancelToken cancel;
  return cancel;
}

void on_interrupt(int) {
  token().cancel();
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

CancelToken& cancelled_by_interrupt() {
  CancelToken& cancel = token();  // made before a signal can come
  std::signal(SIGINT, on_interrupt);
  return cancel;
}

}  // namespace kvarium
