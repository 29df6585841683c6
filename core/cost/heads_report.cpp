#include "core/cost/heads_report.h"

#include "core/cost/bytes_report.h"
#include "core/cost/head_kind.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/model_shapes.h"
#include "core/cost/roofline.h"
#include "core/cost/units.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

/// All query heads get a head_dim so that together they are as wide as the residual stream.
Trap head_dim_trap(ElementType type) {
  const ModelShape& shape = find_model_shape("qwen3-4b");
  ModelShape wrong = shape;
  wrong.head_dim = shape.hidden / shape.query_heads;
  return {shape.name,
          tr_format("{} has {} layers, a hidden width of {}, {} query heads and {} KV heads. How large is one token?",
                    shape.name, shape.layers, shape.hidden, shape.query_heads, shape.kv_heads),
          tr_format("head dim = {} / {} = {}, so 2 * {} * {} * {} * {}", shape.hidden, shape.query_heads,
                    wrong.head_dim, shape.layers, shape.kv_heads, wrong.head_dim, bytes_an_element(type)),
          kv_bytes_per_token(wrong, type),
          token_numbers(shape, type),
          kv_bytes_per_token(shape, type),
          tr_format("The head dim is a number of its own, {} here. hidden / query heads is right for many models, and "
                    "for this one it is not.",
                    shape.head_dim)};
}

/// K and V of the latent width, without the rotary key.
Trap latent_trap(ElementType type) {
  const ModelShape& shape = find_model_shape("deepseek-v3");
  ModelShape wrong = as_multi_head(shape);
  wrong.kv_heads = 1;
  wrong.head_dim = shape.latent_dim;
  return {shape.name,
          tr_format("{} has {} layers and keeps a latent row of {} numbers. How large is one token?", shape.name,
                    shape.layers, shape.latent_dim),
          tr_format("2 * {} * {} * {}", shape.layers, shape.latent_dim, bytes_an_element(type)),
          kv_bytes_per_token(wrong, type),
          token_numbers(shape, type),
          kv_bytes_per_token(shape, type),
          tr_format("K and V are computed from the same row, so there is no 2; and a rotary key of {} numbers stands "
                    "beside it, because rotated keys cannot be unpacked from it.",
                    shape.rotary_key_dim)};
}

/// "1.0", "241.8"
std::string shown(double intensity) { return fmt::format("{:.1f}", intensity); }

}  // namespace

const std::vector<ModelShape>& compared_models() {
  static const std::vector<ModelShape> kModels{find_model_shape("llama-2-7b"),    find_model_shape("llama-3.1-8b"),
                                               find_model_shape("llama-3.1-70b"), find_model_shape("falcon-7b"),
                                               find_model_shape("qwen3-4b"),      find_model_shape("deepseek-v3")};
  return kModels;
}

HeadsRow heads_row(const ModelShape& shape, std::uint64_t tokens, ElementType type) {
  return {shape, kv_bytes_per_token(shape, type), kv_bytes(shape, tokens, type), attention_intensity(shape, type)};
}

std::vector<Trap> traps(ElementType type) { return {head_dim_trap(type), latent_trap(type)}; }

std::string heads_in_words(const ModelShape& shape) {
  if (shape.kv_kind == KvKind::latent) {
    return tr_format("{} query heads, one latent row of {} + {}", shape.query_heads, shape.latent_dim,
                     shape.rotary_key_dim);
  }
  return tr_format("{} query heads, {} KV heads", shape.query_heads, shape.kv_heads);
}

std::string heads_table(std::uint64_t tokens, ElementType type) {
  std::string table = fmt::format("{:<14} {:<9} {:>10} {:>14}  {}\n", tr("model"), tr("kind"), tr("one token"),
                                  tr_format("{} tokens", with_commas(tokens)), tr("FLOP/B"));
  for (const ModelShape& shape : compared_models()) {
    const HeadsRow row = heads_row(shape, tokens, type);
    table += fmt::format("{:<14} {:<9} {:>10} {:>14}  {:>6}\n", shape.name, head_kind_name(shape),
                         binary_size(row.token_bytes), binary_size(row.context_bytes), shown(row.intensity));
  }
  return table;
}

std::string intensity_table(ElementType type) {
  const ModelShape& plain = find_model_shape("llama-2-7b");
  std::string text = tr_format("{:.1f} FLOP a byte: {} with one KV head for all its {} query heads\n",
                               attention_intensity(with_kv_heads(plain, 1), type), plain.name, plain.query_heads);
  for (const HardwareProfile& hardware : hardware_profiles()) {
    text += tr_format("{:>5.0f} FLOP a byte: where {} begins to wait for its arithmetic\n", ridge_point(hardware),
                      hardware.name);
  }
  return text;
}

std::string heads_report(std::uint64_t tokens, ElementType type) {
  std::string text = tr_format("How heads share K and V, {}\n\n", name(type)) + heads_table(tokens, type) + '\n' +
                     intensity_table(type);
  for (const Trap& trap : traps(type)) {
    text += '\n' + trap.question + '\n';
    text += tr_format("  wrong  {} = {}\n", trap.wrong_formula, binary_size(trap.wrong));
    text += tr_format("  right  {} = {}\n", trap.right_formula, binary_size(trap.right));
    text += "  " + trap.why + '\n';
  }
  return text;
}

}  // namespace kvarium
