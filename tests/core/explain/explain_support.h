#pragma once
// Engines with a prefix cache, and what the explainer says of their requests.

#include <string>
#include <vector>

#include "core/explain/why.h"
#include "tests/support/engine_bench.h"

namespace kvarium_test {

inline std::function<void(EngineConfig&)> with_cache(PrefixCaching kind) {
  return [kind](EngineConfig& config) { config.prefix_cache.kind = kind; };
}

struct Recorded {
  explicit Recorded(const Bench& bench) {
    for (const Event& event : bench.sink.events) trace.emit(event);
  }
  Trace trace;
};

inline std::string name_of(BlockFate fate) {
  static const char* const kNames[] = {"hit",          "wrong_hit", "no_cache", "swapped", "partial",     "last_token",
                                       "behind",       "evicted",   "expired",  "emptied", "other_scope", "same_step",
                                       "not_kept_yet", "lost",      "parts",    "never"};
  return kNames[static_cast<int>(fate)];
}

/// "hit:A evicted:B partial": the fate of each block, and the request that it names.
inline std::string names_of_fates(const MissExplanation& why) {
  std::string text;
  for (const BlockReason& reason : why.blocks) {
    text += (text.empty() ? "" : " ") + name_of(reason.fate) + (reason.by ? ":" + letter(*reason.by) : "");
  }
  return text;
}
inline std::string fates(const Bench& bench, RequestId id) {
  const Recorded recorded(bench);
  const auto why = explain_misses(recorded.trace, id);
  return why ? names_of_fates(*why) : "nothing";
}

}  // namespace kvarium_test
