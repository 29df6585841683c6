#pragma once
// One prompt, one answer, by one of three caches: what `kvarium generate` runs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/cancel.h"
#include "core/scheduling/request.h"
#include "core/trace/event_sink.h"
#include "core/work.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium {

enum class CacheKind { none, contiguous, paged };

struct GenerationSpec {
  RequestSpec request;
  CacheKind cache = CacheKind::paged;
  std::uint32_t block_size = 16;  ///< tokens; only paged
  std::uint32_t num_blocks = 0;   ///< of the pool; 0: as many as prompt and answer may need
};

struct GenerationReport {
  std::size_t prompt_tokens = 0;
  std::size_t new_tokens = 0;
  Work work;
  std::uint64_t cache_bytes = 0;  ///< reserved for K and V
  double seconds = 0;             ///< from the first step to the last
  bool stopped = false;           ///< cancelled before its end
};

/// Gives the answer's bytes as they are certain: those that may be the beginning of a stop string are held back until
/// they are not. All caches give the same text. Cancelled: the step in progress ends, the request is aborted.
/// InputError when the request cannot be served or does not fit.
GenerationReport generate(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink,
                          const CancelToken& cancel, const std::function<void(std::string_view)>& on_text);

}  // namespace kvarium
