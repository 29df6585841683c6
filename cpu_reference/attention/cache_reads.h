#pragma once
// What all attentions over a cache check and count alike.

#include <cstdint>
#include <span>
#include <string_view>

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// MisuseError, starting with `where`, unless the runs hold the rows of positions [0, first_position + tokens).
void expect_covered(std::span<const KvRun> runs, std::uint32_t first_position, Index tokens, std::string_view where);

/// One query token looked at `rows` cached positions: a product for each query head, 4 operations a number of the query
/// (q.k and p.v), and K and V of each KV head read once.
void count_reads(std::uint64_t rows, const Heads& heads, Work& work);

}  // namespace kvarium::cpu
