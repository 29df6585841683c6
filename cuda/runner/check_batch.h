#pragma once
// What a pass over the kernels is asked, checked before anything is computed, and what it will do, counted.

#include <span>

#include "core/model_runner.h"
#include "cuda/runner/plain_model.h"

namespace kvarium::cuda {

/// MisuseError as ModelRunner::forward() says; InputError for a tree of more drafts than the kernels can verify.
void check_batch(const ModelShape& shape, std::span<const ScheduledSequence> batch, std::uint32_t block_size,
                 std::uint32_t num_blocks);

/// MisuseError for a slot, or a block, that the cache does not have.
void expect_slot(Slot slot, std::uint32_t num_slots);
void expect_blocks(std::span<const BlockId> blocks, std::uint32_t num_blocks);

/// Products and sums of one sequence's share of a pass, by the shapes: as the CPU reference counts them, but without
/// bytes.
Work work_of(const PlainModel& model, const ScheduledSequence& sequence);

/// The matrices that a pass reads, norms and biases left out.
std::uint64_t weight_bytes(const PlainModel& model, std::size_t bytes_of_number);

}  // namespace kvarium::cuda
