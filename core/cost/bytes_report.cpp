#include "core/cost/bytes_report.h"

#include "core/cost/kv_bytes.h"
#include "core/cost/units.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::string formula_of_one_token(const ModelShape& shape, ElementType type) {
  return tr_format("one token = {}\n          = {} = {}\n", token_names(shape), token_numbers(shape, type),
                   size_in_words(kv_bytes_per_token(shape, type)));
}

std::string comparison_with_multi_head(const ModelShape& shape, std::uint64_t tokens, ElementType type) {
  if (shape.query_heads == 0 || shape.head_dim == 0) return {};  // a shape may not say
  if (shape.kv_kind == KvKind::heads && shape.kv_heads == shape.query_heads) {
    return tr_format("Each of the {} query heads has its own K and V (multi-head attention, MHA): nothing is shared.\n",
                     shape.query_heads);
  }
  const std::uint64_t all = kv_bytes(as_multi_head(shape), tokens, type);
  const double ratio = static_cast<double>(all) / static_cast<double>(kv_bytes(shape, tokens, type));
  return tr_format(
      "If each of the {} query heads had its own K and V (multi-head attention, MHA): {} = {}, {} times as "
      "much.\n",
      shape.query_heads, binary_size(all), decimal_size(all), fmt::format("{:.1f}", ratio));
}

}  // namespace

std::string bytes_an_element(ElementType type) { return fmt::format("{}", bits(type) / 8.0); }

std::string token_names(const ModelShape& shape) {
  return std::string(shape.kv_kind == KvKind::latent
                         ? tr("layers * (latent width + rotary key width) * bytes an element")
                         : tr("2 (K and V) * layers * KV heads * head dim * bytes an element"));
}

std::string token_numbers(const ModelShape& shape, ElementType type) {
  const std::string bytes = bytes_an_element(type);
  if (shape.kv_kind == KvKind::latent) {
    return fmt::format("{} * ({} + {}) * {}", shape.layers, shape.latent_dim, shape.rotary_key_dim, bytes);
  }
  return fmt::format("2 * {} * {} * {} * {}", shape.layers, shape.kv_heads, shape.head_dim, bytes);
}

std::string bytes_report(const ModelShape& shape, std::uint64_t tokens, ElementType type) {
  if (tokens == 0) throw InputError(std::string(tr("0 tokens have no KV cache: give at least 1")));
  std::string text = tr_format("KV cache of {}, {} tokens, {}\n\n", shape.name, with_commas(tokens), name(type));
  text += formula_of_one_token(shape, type);
  text += tr_format("{} tokens = {}\n\n", with_commas(tokens), size_in_words(kv_bytes(shape, tokens, type)));
  text += comparison_with_multi_head(shape, tokens, type);
  if (shape.context != 0 && tokens > shape.context) {
    text += tr_format("The model was made for at most {} tokens.\n", with_commas(shape.context));
  }
  return text;
}

}  // namespace kvarium
