#pragma once

namespace kvarium::cuda {

/// The most new tokens of a sequence that attention_prefill can see as a tree: a bit each.
inline constexpr unsigned kMostTreeTokens = 64;

}  // namespace kvarium::cuda
