#pragma once
// What sharing K and V between heads saves, in numbers and words: scenario S08, the Heads tab and lesson 10.

#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/element_type.h"
#include "core/model_shape.h"

namespace kvarium {

/// The six models that are compared: MHA, three of GQA, MQA, MLA.
const std::vector<ModelShape>& compared_models();

/// What one model keeps and reads.
struct HeadsRow {
  ModelShape shape;
  std::uint64_t token_bytes = 0;    ///< one token's K and V
  std::uint64_t context_bytes = 0;  ///< those of all tokens
  double intensity = 0;             ///< of its attention in decode, FLOP a byte
};
HeadsRow heads_row(const ModelShape& shape, std::uint64_t tokens, ElementType type);

/// A size that looks computed and is wrong.
struct Trap {
  std::string model;
  std::string question;       ///< asks for one token's bytes
  std::string wrong_formula;  ///< with its numbers
  std::uint64_t wrong = 0;    ///< bytes
  std::string right_formula;
  std::uint64_t right = 0;
  std::string why;  ///< one or two sentences
};
/// Qwen3-4B with hidden / query heads for head_dim, and DeepSeek-V3 with a K and a V of the latent width.
std::vector<Trap> traps(ElementType type);

/// "MHA  32 query heads, 32 KV heads".
std::string heads_in_words(const ModelShape& shape);

/// The six as a table of at most 80 columns.
std::string heads_table(std::uint64_t tokens, ElementType type);
/// "1.0 llama-2-7b ... " against the ridge of each processor: as lines of text.
std::string intensity_table(ElementType type);
/// Both tables and the traps with their answers.
std::string heads_report(std::uint64_t tokens, ElementType type);

}  // namespace kvarium
