#pragma once
// The model that a scenario or a command runs: the built-in one, or a file of the user's.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ids.h"

namespace kvarium {

namespace cpu {
class Tokenizer;
struct Model;
}  // namespace cpu

struct ModelChoice {
  ModelChoice(std::shared_ptr<const cpu::Model> weights, std::shared_ptr<const cpu::Tokenizer> text);
  ~ModelChoice();
  ModelChoice(ModelChoice&&) noexcept;
  ModelChoice& operator=(ModelChoice&&) noexcept;

  std::shared_ptr<const cpu::Model> model;
  std::shared_ptr<const cpu::Tokenizer> tokenizer;
};

/// How large the built-in model is made: a scenario that counts work wants one layer and one head.
struct BuiltinSize {
  std::uint32_t layers = 2;
  std::uint32_t query_heads = 4;
  std::uint32_t kv_heads = 2;
};

/// Random weights that are the same on every machine, and a tokenizer of common English words.
ModelChoice builtin_choice(const BuiltinSize& size);
/// The files, or the built-in model when both names are empty. InputError when only one is given, or one is not such
/// a file, or they do not belong together.
ModelChoice choose_model(const std::string& model_path, const std::string& tokenizer_path);

/// The first `count` tokens of a story that begins anew as often as it must: a prompt of any length.
std::vector<TokenId> story_tokens(const cpu::Tokenizer& tokenizer, std::uint32_t count);
/// `count` tokens from the middle of the story, from another word on for each `which` below 5: prompts that share no
/// beginning.
std::vector<TokenId> other_tokens(const cpu::Tokenizer& tokenizer, std::uint32_t which, std::uint32_t count);

}  // namespace kvarium
