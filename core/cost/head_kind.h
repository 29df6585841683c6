#pragma once
// How the query heads of a model share K and V, and the same model with another kind of sharing.

#include <cstdint>
#include <string>

#include "core/model_shape.h"

namespace kvarium {

/// multi_head: each query head has its own K and V (Vaswani et al. 2017). grouped: a group of query heads shares one
/// (Ainslie et al. 2023). multi_query: all share one (Shazeer 2019). latent: all share one compressed row, from which K
/// and V of each head are computed (DeepSeek-V2, 2024).
enum class HeadKind : std::uint8_t { multi_head, grouped, multi_query, latent };

HeadKind head_kind(const ModelShape& shape);
/// "MHA", "GQA 4:1" (query heads to KV heads), "MQA", "MLA".
std::string head_kind_name(const ModelShape& shape);
/// "multi-head attention", ..., in the chosen language.
std::string head_kind_words(HeadKind kind);

/// The same model with so many KV heads. InputError unless they divide the query heads: groups are of one size.
ModelShape with_kv_heads(ModelShape shape, std::uint32_t kv_heads);
/// The same model with latent attention as wide as that of DeepSeek-V2 and -V3.
ModelShape as_latent(ModelShape shape);
/// What attention reads: a model of heads as it is, latent rows as the K of one head that all query heads share, as
/// wide as a row.
ModelShape as_read(ModelShape shape);
/// Whether its query heads can be cut into groups of one size, more than one head in each and more than one group: a
/// prime number of them cannot.
bool can_be_grouped(const ModelShape& shape);
/// The same model with this kind. `grouped`: as many query heads a group as its own have, or 4, 3, 2, or the least that
/// is possible. InputError for `grouped` unless can_be_grouped().
ModelShape with_head_kind(const ModelShape& shape, HeadKind kind);

/// KV head that query head `query_head` reads: groups are neighbours. MisuseError outside the shape, or with a latent
/// row, which belongs to no head.
std::uint32_t kv_head_of(const ModelShape& shape, std::uint32_t query_head);

}  // namespace kvarium
