#pragma once
// The model that a scenario or a command runs: one that comes with Kvarium, or a file of the user's.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cancel.h"
#include "core/ids.h"
#include "core/progress.h"

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
  std::vector<std::string> facts;  ///< what was read, a line each
};

/// What runs when no model is named.
inline constexpr std::string_view kDefaultModel = "tales-target";

/// A model that comes with Kvarium: "tales-target" writes stories. InputError when it is not there.
ModelChoice shipped_choice(std::string_view name);
/// tales-target when both names are empty; otherwise a shipped model by its name, or a model file as cpu::open_model()
/// opens it. Only a llama2.c checkpoint may be given a tokenizer, the others bring their own. Nothing when cancelled.
/// InputError for a tokenizer without a model, files that are not such files, or that do not belong together.
std::optional<ModelChoice> choose_model(const std::string& model_path, const std::string& tokenizer_path,
                                        const OnProgress& on_progress, const CancelToken& cancel);
/// The same to its end.
ModelChoice choose_model(const std::string& model_path, const std::string& tokenizer_path);

/// Whether the model was trained on chats of a form that is known.
bool can_chat(const ModelChoice& choice);
/// A text to go on from; or with `is_chat` a message to answer, written as the model's conversations were in its
/// training, behind `system` or, where that is empty, the model's own. InputError when the model has no such form.
std::vector<TokenId> encode_prompt(const ModelChoice& choice, std::string_view prompt, bool is_chat,
                                   std::string_view system = {});

/// The first `count` tokens of a story that begins anew as often as it must: a prompt of any length.
std::vector<TokenId> story_tokens(const cpu::Tokenizer& tokenizer, std::uint32_t count);
/// `count` tokens from the middle of the story, from another word on for each `which` below 5: prompts that share no
/// beginning.
std::vector<TokenId> other_tokens(const cpu::Tokenizer& tokenizer, std::uint32_t which, std::uint32_t count);

}  // namespace kvarium
