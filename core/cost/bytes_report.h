#pragma once
// The size of a KV cache in words, with the formula and its numbers: what `kvarium bytes` prints.

#include <cstdint>
#include <string>

#include "core/cost/element_type.h"
#include "core/model_shape.h"

namespace kvarium {

/// "2", "1", "0.5".
std::string bytes_an_element(ElementType type);
/// What one token's bytes are the product of, in words, and the same with the shape's numbers: "2 * 32 * 8 * 128 * 2".
std::string token_names(const ModelShape& shape);
std::string token_numbers(const ModelShape& shape, ElementType type);

/// Several lines, each ending in a newline. InputError when tokens is 0, and as kv_bytes().
std::string bytes_report(const ModelShape& shape, std::uint64_t tokens, ElementType type);

}  // namespace kvarium
