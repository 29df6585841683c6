#pragma once
// The ids of drawn things that a lesson's words point at. The window puts a frame around them.

#include <cstddef>
#include <string>

#include "core/ids.h"

namespace kvarium {

inline std::string point(BlockId block) { return "block:" + std::to_string(value(block)); }
inline std::string point(RequestId request) { return "request:" + letter(request); }
inline std::string point(Slot slot) { return "slot:" + std::to_string(value(slot)); }
/// Entry `i` of the request's block table: "table:A[1]".
inline std::string point(RequestId request, std::size_t i) {
  return "table:" + letter(request) + "[" + std::to_string(i) + "]";
}

/// A tab of the window: it comes to the front. "tab:heads", with the names of `kvarium view --tab`.
inline std::string tab_point(const std::string& name) { return "tab:" + name; }

}  // namespace kvarium
