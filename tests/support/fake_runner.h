#pragma once
// A model that is arithmetic: the next token is a hash of all tokens so far, read back through the block table. A
// wrong table, a wrong position or K/V that was never written gives another token than next_token() says.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/model_runner.h"
#include "core/token_text.h"

namespace kvarium_test {

using namespace kvarium;

inline TokenId next_token(std::span<const TokenId> tokens, std::uint32_t vocab) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (const TokenId token : tokens) hash = (hash ^ static_cast<std::uint32_t>(value(token))) * 1099511628211ULL;
  return TokenId{static_cast<std::int32_t>((hash >> 20U) % vocab)};
}

/// Logits that all differ, from the same hash: for whoever looks at more than the likeliest token.
inline std::vector<float> varied_logits(std::span<const TokenId> tokens, std::uint32_t vocab) {
  std::vector<TokenId> longer(tokens.begin(), tokens.end());
  longer.push_back(TokenId{0});
  std::vector<float> logits;
  for (std::uint32_t v = 0; v < vocab; ++v) {
    longer.back() = TokenId{static_cast<std::int32_t>(v)};
    logits.push_back(static_cast<float>(value(next_token(longer, 1000))) / 250.0F);
  }
  return logits;
}

class FakeRunner : public ModelRunner {
 public:
  static constexpr float kTopLogit = 3.0F;  // of next_token(); all others have 0

  explicit FakeRunner(std::uint32_t context = 64, std::uint32_t vocab = 26) {
    shape_.name = "fake";
    shape_.layers = shape_.query_heads = shape_.kv_heads = shape_.head_dim = shape_.hidden = 1;
    shape_.vocab = vocab;
    shape_.context = context;
  }

  const ModelShape& shape() const override { return shape_; }
  void create_cache(std::uint32_t num_blocks, std::uint32_t block_size) override {
    block_size_ = block_size;
    slots_.assign(std::size_t{num_blocks} * block_size, TokenId{-1});
  }
  ForwardResult forward(std::span<const ScheduledSequence> batch) override {
    if (batch.empty()) throw MisuseError("an empty batch");
    ++forwards;
    if (forwards == fail_at) throw std::runtime_error("the device was lost");
    ForwardResult result;
    for (const ScheduledSequence& sequence : batch) {
      const std::vector<float> row = run(sequence);
      for (std::uint32_t i = sequence.logit_rows; sequence.wants_hidden && i > 0; --i) {  // one number: what is known
        const std::size_t end = sequence.first_position + sequence.tokens.size();
        result.hidden.push_back(static_cast<float>(end + 1 - i));
      }
      result.logits.insert(result.logits.end(), row.begin(), row.end());
      const auto count = static_cast<std::uint32_t>(sequence.tokens.size());
      result.work.push_back({.kv_projections = count, .score_products = sequence.first_position + count});
    }
    if (forwards == short_at) result.logits.pop_back();
    if (forwards == nan_at) result.logits.back() = std::numeric_limits<float>::quiet_NaN();
    return result;
  }

  void copy(std::span<const BlockCopy> copies) override {
    if (++copy_calls == copy_fails_at) throw std::runtime_error("the device was lost");
    for (const BlockCopy& copy : copies) {
      for (std::uint32_t i = 0; i < copy.tokens; ++i) {
        slots_.at(index(copy.to) * block_size_ + i) = slots_.at(index(copy.from) * block_size_ + i);
      }
    }
  }
  void move(std::span<const SlotMove> moves) override {
    if (++move_calls == move_fails_at) throw std::runtime_error("the device was lost");
    for (const SlotMove& move : moves) slots_.at(index(move.to)) = slots_.at(index(move.from));
  }
  std::vector<std::byte> save(std::span<const BlockId> blocks) const override {
    std::vector<std::byte> bytes;
    for (const BlockId block : blocks) {
      const auto first = std::as_bytes(std::span(slots_).subspan(index(block) * block_size_, block_size_));
      bytes.insert(bytes.end(), first.begin(), first.end());
    }
    return bytes;
  }
  std::uint64_t saved_bytes(std::size_t num_blocks) const override {
    return num_blocks * block_size_ * sizeof(TokenId);
  }
  void restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) override {
    if (++restores == restore_fails_at) throw std::runtime_error("the device was lost");
    for (const BlockId block : blocks) {
      const auto to = std::as_writable_bytes(std::span(slots_).subspan(index(block) * block_size_, block_size_));
      std::copy_n(bytes.begin(), to.size(), to.begin());
      bytes = bytes.subspan(to.size());
    }
  }

  // The call of forward(), from 1, that throws, returns too few logits, or a NaN; 0: none.
  int forwards = 0, fail_at = 0, short_at = 0, nan_at = 0;
  // As above, of copy(), restore() and move().
  int copy_calls = 0, copy_fails_at = 0, restores = 0, restore_fails_at = 0, move_calls = 0, move_fails_at = 0;
  /// Is told what the newest token of each sequence reads through its table: it must be the request's own tokens.
  std::function<void(RequestId, std::span<const TokenId>)> on_read = {};
  bool varied = false;  // logits as varied_logits() says

 private:
  TokenId& slot(const ScheduledSequence& sequence, std::size_t position) {
    return slots_.at(index(sequence.block_table[position / block_size_]) * block_size_ + position % block_size_);
  }
  std::vector<float> run(const ScheduledSequence& sequence) {
    const std::size_t end = sequence.first_position + sequence.tokens.size();
    if (sequence.tokens.empty() || end > sequence.block_table.size() * block_size_) throw MisuseError("a bad sequence");
    if (sequence.logit_rows == 0 || sequence.logit_rows > sequence.tokens.size()) throw MisuseError("bad logit rows");
    for (std::size_t i = 0; i < sequence.tokens.size(); ++i) {
      slot(sequence, sequence.first_position + i) = sequence.tokens[i];
    }
    if (on_read) on_read(sequence.request, seen_by(sequence, sequence.tokens.size() - 1));
    std::vector<float> logits;
    for (std::size_t i = sequence.tokens.size() - sequence.logit_rows; i < sequence.tokens.size(); ++i) {
      const std::vector<float> row = logits_after(seen_by(sequence, i));
      logits.insert(logits.end(), row.begin(), row.end());
    }
    return logits;
  }
  /// What token i reads through the table: the past, and its ancestors or, in a chain, all before it.
  std::vector<TokenId> seen_by(const ScheduledSequence& sequence, std::size_t i) {
    std::vector<TokenId> seen;
    for (std::size_t position = 0; position < sequence.first_position; ++position) {
      seen.push_back(slot(sequence, position));
    }
    for (std::size_t other = 0; other <= i; ++other) {
      if (is_above(sequence, i, other)) seen.push_back(slot(sequence, sequence.first_position + other));
    }
    return seen;
  }
  static bool is_above(const ScheduledSequence& sequence, std::size_t node, std::size_t other) {
    while (node > other) node = sequence.parents.empty() ? node - 1 : sequence.parents[node];
    return node == other;
  }
  std::vector<float> logits_after(std::span<const TokenId> tokens) const {
    if (varied) return varied_logits(tokens, shape_.vocab);
    std::vector<float> logits(shape_.vocab, 0.0F);
    logits[index(next_token(tokens, shape_.vocab))] = kTopLogit;
    return logits;
  }

  ModelShape shape_;
  std::uint32_t block_size_ = 0;
  std::vector<TokenId> slots_;  // the "K and V" of a token is the token itself
};

/// Token 0 is "a", 1 is "b", ...
class LetterText : public TokenText {
 public:
  std::string piece(std::optional<TokenId>, TokenId token) const override {
    return std::string(1, static_cast<char>('a' + value(token) % 26));
  }
};

inline std::vector<TokenId> tokens_of(const std::string& letters) {
  std::vector<TokenId> tokens;
  for (const char letter : letters) tokens.push_back(TokenId{letter - 'a'});
  return tokens;
}

/// What the fake model says after the prompt, computed without any engine.
inline std::string answer_of(const std::string& prompt, std::size_t count, std::uint32_t vocab = 26) {
  std::vector<TokenId> tokens = tokens_of(prompt);
  std::string answer;
  while (answer.size() < count) {
    tokens.push_back(next_token(tokens, vocab));
    answer += static_cast<char>('a' + value(tokens.back()));
  }
  return answer;
}

}  // namespace kvarium_test
