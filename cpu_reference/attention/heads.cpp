#include "cpu_reference/attention/heads.h"

#include <fmt/format.h>

#include "core/error.h"

namespace kvarium::cpu {

void expect_valid(const Heads& heads) {
  if (heads.kv_heads == 0 || heads.query_heads == 0 || heads.head_dim == 0 || heads.query_heads % heads.kv_heads != 0) {
    throw MisuseError(
        fmt::format("attention: {} query heads, {} KV heads, width {}: each must be above 0 and the query "
                    "heads a multiple of the KV heads",
                    heads.query_heads, heads.kv_heads, heads.head_dim));
  }
}

}  // namespace kvarium::cpu
