#include "cuda/simt/emulator/options.h"

namespace kvarium::cuda::emulator {
namespace {
thread_local Emulation current_options;
}  // namespace

const Emulation& emulation() { return current_options; }

UseEmulation::UseEmulation(const Emulation& options) : previous_(current_options) { current_options = options; }
UseEmulation::~UseEmulation() { current_options = previous_; }

}  // namespace kvarium::cuda::emulator
