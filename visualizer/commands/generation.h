#pragma once
// Prompts in, answers out, by one of three caches: what `kvarium generate` runs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cancel.h"
#include "core/scheduling/request.h"
#include "core/trace/event_sink.h"
#include "core/trace/world.h"
#include "cuda/runner/kernel_runner.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/proposer_setup.h"
#include "lessons/scenarios/scenario.h"
#include "visualizer/commands/memory_meter.h"

namespace kvarium {

enum class CacheKind { none, contiguous, paged };

/// Who computes: the CPU reference, or the kernels, which the emulator runs, or a device.
enum class RunnerKind { reference, kernels, device };

struct GenerationSpec {
  std::vector<RequestSpec> requests;  ///< all arrive at once; with another cache than paged a single one
  CacheKind cache = CacheKind::paged;
  /// Only paged: block_size, num_blocks, seed, max_running, token_budget, the choices. num_blocks 0: as many as all
  /// prompts and answers may need when nothing is shared.
  ScenarioParams engine;
  RunnerKind runner = RunnerKind::reference;         ///< the others: only paged
  cuda::NumberType numbers = cuda::NumberType::f32;  ///< of the kernels
  /// None: nothing is guessed ahead. Only paged, at most engine.draft_length a round.
  std::optional<ProposerChoice> proposer;
  bool adaptive_length = false;  ///< as many as paid off lately
  AcceptanceRule rule = AcceptanceRule::exact;
};

struct GenerationReport {
  std::size_t prompt_tokens = 0;
  std::size_t new_tokens = 0;
  Work work;
  std::uint64_t cache_bytes = 0;     ///< reserved for K and V
  std::uint64_t block_bytes = 0;     ///< K and V of one block; 0: no blocks
  double seconds = 0;                ///< from the first step to the last; of emulated kernels it means nothing
  bool stopped = false;              ///< cancelled before its end
  std::vector<std::string> answers;  ///< of each request, its forks behind it
  SharedMemory memory;
  PrefixCounts prefix;          ///< look-ups in the prefix cache
  PrefixCounts resumed_prefix;  ///< those of requests that came back after a preemption
  CopyCounts copies;
  std::uint64_t evicted_blocks = 0;
  std::uint64_t preemptions = 0;
  SpeculationCounts speculation;
};

/// `on_text` gets the bytes of a single answer as they are certain: those that may be the beginning of a stop string
/// are held back until they are not. Several answers come with the report. All caches give the same text. Cancelled:
/// the step in progress ends, what is left is aborted. InputError when a request cannot be served or does not fit.
GenerationReport generate(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink,
                          const CancelToken& cancel, const std::function<void(std::string_view)>& on_text);

}  // namespace kvarium
