#pragma once
// The number formats in which K and V are kept.

#include <cstdint>
#include <string_view>
#include <vector>

namespace kvarium {

enum class ElementType : std::uint8_t { fp32, fp16, bf16, fp8, int8, int4, int2 };

/// All formats, widest first.
const std::vector<ElementType>& element_types();
/// Bits of one element. Scales and zero points of the integer formats are not counted: they belong to a group.
std::uint32_t bits(ElementType type);
std::string_view name(ElementType type);
/// By name, upper or lower case. InputError that lists the names when there is none.
ElementType find_element_type(std::string_view wanted);

}  // namespace kvarium
