#include "core/cost/element_type.h"

#include <string>

#include "core/cost/plain_name.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

struct Entry {
  std::string_view name;
  std::uint32_t bits;
};

Entry entry(ElementType type) {
  switch (type) {
    case ElementType::fp32:
      return {"fp32", 32};
    case ElementType::fp16:
      return {"fp16", 16};
    case ElementType::bf16:
      return {"bf16", 16};
    case ElementType::fp8:
      return {"fp8", 8};
    case ElementType::int8:
      return {"int8", 8};
    case ElementType::int4:
      return {"int4", 4};
    case ElementType::int2:
      return {"int2", 2};
  }
  throw MisuseError("there is no such element type");
}

}  // namespace

const std::vector<ElementType>& element_types() {
  static const std::vector<ElementType> kTypes{ElementType::fp32, ElementType::fp16, ElementType::bf16,
                                               ElementType::fp8,  ElementType::int8, ElementType::int4,
                                               ElementType::int2};
  return kTypes;
}

std::uint32_t bits(ElementType type) { return entry(type).bits; }
std::string_view name(ElementType type) { return entry(type).name; }

ElementType find_element_type(std::string_view wanted) {
  std::string known;
  for (const ElementType type : element_types()) {
    if (plain_name(name(type)) == plain_name(wanted)) return type;
    known += (known.empty() ? "" : ", ") + std::string(name(type));
  }
  throw InputError(tr_format("there is no element type '{}': use one of {}", wanted, known));
}

}  // namespace kvarium
