#pragma once
// The size of a KV cache in words, with the formula and its numbers: what `kvarium bytes` prints.

#include <cstdint>
#include <string>

#include "core/cost/element_type.h"
#include "core/model_shape.h"

namespace kvarium {

/// Several lines, each ending in a newline. InputError when tokens is 0, and as kv_bytes().
std::string bytes_report(const ModelShape& shape, std::uint64_t tokens, ElementType type);

}  // namespace kvarium
