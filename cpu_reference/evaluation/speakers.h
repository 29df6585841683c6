#pragma once
// The ways in which a model keeps what it has heard: not at all, in one row, in blocks.

#include <cstdint>
#include <memory>

#include "core/model_runner.h"
#include "cpu_reference/evaluation/speaker.h"

namespace kvarium::cpu {

struct Model;

/// Computes the whole text again for each hear().
std::unique_ptr<Speaker> uncached_speaker(std::shared_ptr<const Model> model);

/// Keeps K and V in one row for `longest` tokens. `threads` as for CpuRunner. InputError when the row does not fit in
/// memory.
std::unique_ptr<Speaker> contiguous_speaker(std::shared_ptr<const Model> model, std::uint32_t longest,
                                            std::uint32_t threads = 0);

/// Keeps K and V in blocks of `block_size` tokens, through the block table and the runner that the engine uses; the
/// runner must not have a cache yet. InputError for a size of 0, or when the cache does not fit in memory.
std::unique_ptr<Speaker> paged_speaker(std::unique_ptr<ModelRunner> runner, std::uint32_t longest,
                                       std::uint32_t block_size);

}  // namespace kvarium::cpu
