#include "core/cost/flash_io.h"

#include <algorithm>

#include "core/cost/checked_math.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

void need(std::string_view what, std::uint64_t number) {
  if (number == 0) throw InputError(tr_format("attention: {} is 0, it must be at least 1", what));
}

/// Elements of [tokens][head_dim].
std::uint64_t matrix(std::uint64_t tokens, std::uint64_t head_dim) {
  need("the number of tokens", tokens);
  need("the width of a head", head_dim);
  return checked_multiply(tokens, head_dim);
}

std::uint64_t ceil_div(std::uint64_t number, std::uint64_t by) { return number / by + (number % by == 0 ? 0 : 1); }

}  // namespace

AttentionIo standard_attention_io(std::uint64_t tokens, std::uint64_t head_dim) {
  const std::uint64_t rows = matrix(tokens, head_dim), scores = checked_multiply(tokens, tokens);
  return {checked_add(checked_multiply(2, scores), checked_multiply(3, rows)),
          checked_add(checked_multiply(2, scores), rows)};
}

FlashTiles flash_tiles(std::uint64_t on_chip, std::uint64_t head_dim) {
  need("the room on the chip", on_chip);
  need("the width of a head", head_dim);
  const std::uint64_t key_rows = ceil_div(on_chip, checked_multiply(4, head_dim));
  return {std::min(key_rows, head_dim), key_rows};
}

AttentionIo flash1_io(std::uint64_t tokens, std::uint64_t head_dim, const FlashTiles& tiles) {
  const std::uint64_t rows = matrix(tokens, head_dim);
  need("a tile of K", tiles.key_rows);
  const std::uint64_t rounds = ceil_div(tokens, tiles.key_rows);
  const std::uint64_t state = checked_add(rows, checked_multiply(2, tokens));  // O, the maxima and the sums
  return {checked_add(checked_multiply(2, rows), checked_multiply(rounds, checked_add(rows, state))),
          checked_multiply(checked_add(rounds, 1), state)};  // the first time to set it to nothing
}

AttentionIo flash2_io(std::uint64_t tokens, std::uint64_t head_dim, const FlashTiles& tiles) {
  const std::uint64_t rows = matrix(tokens, head_dim);
  need("a tile of Q", tiles.query_rows);
  const std::uint64_t rounds = ceil_div(tokens, tiles.query_rows);
  return {checked_add(rows, checked_multiply(rounds, checked_multiply(2, rows))), checked_add(rows, tokens)};
}

}  // namespace kvarium
