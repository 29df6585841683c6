#pragma once
// What a kernel did that no kernel may do. The emulator stops the launch and throws it where the stream is
// synchronized.

#include <stdexcept>
#include <string>

#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

enum class FaultKind {
  barrier,        ///< threads of a block wait at different barriers, or some returned before one
  deadlock,       ///< nobody can go on
  mask,           ///< a lane outside its own mask, masks that overlap, different operations under one mask
  inactive_lane,  ///< a value is read from a lane that takes no part
  bounds,         ///< outside a buffer, or through a null pointer
  alignment,      ///< a vector access whose address is no multiple of its size
  uninitialised,  ///< read before anything was written there
  race,           ///< two threads, one of them writes, and nothing between them orders it
  in_flight,      ///< touched while an asynchronous copy to it may still be under way
  shared_memory,  ///< more shared memory than a block may have
};

class KernelFault : public std::runtime_error {
 public:
  KernelFault(FaultKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

/// Throws a KernelFault whose message begins with the running thread: "block 0, thread 7: ...".
[[noreturn]] void fault(FaultKind kind, const std::string& what, const Site& site);

/// "0x0000ffff"
std::string mask_text(unsigned mask);

}  // namespace kvarium::cuda::emulator
