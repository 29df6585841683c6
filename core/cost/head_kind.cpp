#include "core/cost/head_kind.h"

#include <fmt/format.h>

#include "core/cost/kv_bytes.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::uint32_t kLatentDim = 512, kRotaryKeyDim = 64;  // DeepSeek-V2, section 3.1.2
constexpr std::uint32_t kUsualGroup = 4;

/// Query heads a group: the usual number, or fewer, or else the least; 1 where none is possible.
std::uint32_t group_size(std::uint32_t query_heads) {
  const auto fits = [&](std::uint32_t group) { return group < query_heads && query_heads % group == 0; };
  for (std::uint32_t group = kUsualGroup; group > 1; --group) {
    if (fits(group)) return group;
  }
  for (std::uint32_t group = kUsualGroup + 1; group <= query_heads / 2; ++group) {
    if (fits(group)) return group;
  }
  return 1;
}

}  // namespace

HeadKind head_kind(const ModelShape& shape) {
  if (shape.kv_kind == KvKind::latent) return HeadKind::latent;
  if (shape.kv_heads == shape.query_heads) return HeadKind::multi_head;
  return shape.kv_heads == 1 ? HeadKind::multi_query : HeadKind::grouped;
}

std::string head_kind_name(const ModelShape& shape) {
  switch (head_kind(shape)) {
    case HeadKind::multi_head:
      return "MHA";
    case HeadKind::grouped:
      return fmt::format("GQA {}:1", shape.query_heads / shape.kv_heads);
    case HeadKind::multi_query:
      return "MQA";
    case HeadKind::latent:
      return "MLA";
  }
  throw MisuseError("there is no such kind of heads");
}

std::string head_kind_words(HeadKind kind) {
  switch (kind) {
    case HeadKind::multi_head:
      return std::string(tr("multi-head attention"));
    case HeadKind::grouped:
      return std::string(tr("grouped-query attention"));
    case HeadKind::multi_query:
      return std::string(tr("multi-query attention"));
    case HeadKind::latent:
      return std::string(tr("multi-head latent attention"));
  }
  throw MisuseError("there is no such kind of heads");
}

ModelShape with_kv_heads(ModelShape shape, std::uint32_t kv_heads) {
  if (kv_heads == 0 || shape.query_heads % kv_heads != 0) {
    throw InputError(
        tr_format("{} KV heads do not divide {} query heads into groups of one size", kv_heads, shape.query_heads));
  }
  shape = as_multi_head(std::move(shape));
  shape.kv_heads = kv_heads;
  return shape;
}

ModelShape as_latent(ModelShape shape) {
  shape.kv_kind = KvKind::latent;
  shape.kv_heads = shape.query_heads;
  shape.latent_dim = kLatentDim;
  shape.rotary_key_dim = kRotaryKeyDim;
  return shape;
}

ModelShape as_read(ModelShape shape) {
  if (shape.kv_kind == KvKind::heads) return shape;
  const auto width = static_cast<std::uint32_t>(key_row_width(shape));
  shape = as_multi_head(std::move(shape));
  shape.kv_heads = 1;
  shape.head_dim = width;
  return shape;
}

bool can_be_grouped(const ModelShape& shape) {
  return head_kind(shape) == HeadKind::grouped || group_size(shape.query_heads) > 1;
}

ModelShape with_head_kind(const ModelShape& shape, HeadKind kind) {
  if (kind == head_kind(shape)) return shape;
  if (kind == HeadKind::latent) return as_latent(shape);
  if (kind == HeadKind::multi_head) return as_multi_head(shape);
  if (kind == HeadKind::multi_query) return with_kv_heads(shape, 1);
  if (!can_be_grouped(shape)) {
    throw InputError(tr_format(
        "{} query heads, as {} has, make no groups of one size: choose MHA, K and V for each, or MQA, one for all",
        shape.query_heads, shape.name));
  }
  return with_kv_heads(shape, shape.query_heads / group_size(shape.query_heads));
}

std::uint32_t kv_head_of(const ModelShape& shape, std::uint32_t query_head) {
  if (shape.kv_kind == KvKind::latent) throw MisuseError("a latent row belongs to no head");
  if (query_head >= shape.query_heads || shape.kv_heads == 0) {
    throw MisuseError(fmt::format("query head {} of {}", query_head, shape.query_heads));
  }
  return query_head / (shape.query_heads / shape.kv_heads);
}

}  // namespace kvarium
