#include "lessons/scenarios/model_choice.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/llama2c.h"
#include "cpu_reference/loaders/model_facts.h"
#include "cpu_reference/loaders/open_model.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/chat_template.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "cpu_reference/tokenizer/tokenizer_file.h"

namespace kvarium {
namespace {

constexpr std::string_view kStory =
    "Once there was a little girl named Mia. One sunny day, she went to the park. She had a big red ball with her. "
    "There she saw a small boat by the lake, and a boy named Tom sat next to it.";

}  // namespace

ModelChoice::ModelChoice(std::shared_ptr<const cpu::Model> weights, std::shared_ptr<const cpu::Tokenizer> text)
    : model(std::move(weights)), tokenizer(std::move(text)) {}
ModelChoice::~ModelChoice() = default;
ModelChoice::ModelChoice(ModelChoice&&) noexcept = default;
ModelChoice& ModelChoice::operator=(ModelChoice&&) noexcept = default;

ModelChoice shipped_choice(std::string_view name) {
  const cpu::OpenedModel& opened = cpu::shipped_model(name);
  ModelChoice choice{opened.model, opened.tokenizer};
  choice.facts = opened.facts;
  return choice;
}

namespace {

/// A name and not a path: a file or folder of that name is the user's own.
bool is_shipped(const std::string& name) {
  const auto& names = cpu::shipped_model_names();
  return std::find(names.begin(), names.end(), name) != names.end() && !std::filesystem::exists(name);
}

/// A llama2.c checkpoint with a tokenizer from anywhere.
ModelChoice llama2c_choice(const std::string& model_path, const std::string& tokenizer_path) {
  if (std::filesystem::path(model_path).extension() != ".bin") {
    throw InputError(tr_format(
        "model file {}: only a llama2.c .bin takes a tokenizer, others bring their own: leave it out", model_path));
  }
  std::shared_ptr<const cpu::Model> model = cpu::load_llama2c(model_path);
  std::unique_ptr<cpu::Tokenizer> tokenizer = cpu::load_tokenizer(tokenizer_path, model->config.shape.vocab);
  std::vector<std::string> facts = cpu::model_facts(cpu::describe_llama2c(model), *tokenizer);
  ModelChoice choice{std::move(model), std::move(tokenizer)};
  choice.facts = std::move(facts);
  return choice;
}

}  // namespace

std::optional<ModelChoice> choose_model(const std::string& model_path, const std::string& tokenizer_path,
                                        const OnProgress& on_progress, const CancelToken& cancel) {
  if (model_path.empty() && tokenizer_path.empty()) return shipped_choice(kDefaultModel);
  if (model_path.empty()) throw InputError(std::string(tr("a tokenizer needs its model: give --model FILE too")));
  if (!tokenizer_path.empty()) return llama2c_choice(model_path, tokenizer_path);
  if (is_shipped(model_path)) return shipped_choice(model_path);
  std::optional<cpu::OpenedModel> opened = cpu::open_model(model_path, on_progress, cancel);
  if (!opened) return std::nullopt;
  ModelChoice choice{std::move(opened->model), std::move(opened->tokenizer)};
  choice.facts = std::move(opened->facts);
  return choice;
}

ModelChoice choose_model(const std::string& model_path, const std::string& tokenizer_path) {
  return choose_model(model_path, tokenizer_path, {}, CancelToken{}).value();
}

bool can_chat(const ModelChoice& choice) { return cpu::chat_template_of(*choice.tokenizer).has_value(); }

std::vector<TokenId> encode_prompt(const ModelChoice& choice, std::string_view prompt, bool is_chat,
                                   std::string_view system) {
  if (!is_chat) return choice.tokenizer->encode(prompt);
  auto tokens = cpu::chat_prompt(*choice.tokenizer, system, prompt);
  if (!tokens) {
    throw InputError(tr_format("the model {} was not trained on chats of a known form: give it a text to go on from",
                               choice.model->config.shape.name));
  }
  return *std::move(tokens);
}

std::vector<TokenId> story_tokens(const cpu::Tokenizer& tokenizer, std::uint32_t count) {
  const std::vector<TokenId> story = tokenizer.encode(kStory);
  const std::size_t before = tokenizer.encode("").size();  // the begin token stands only once
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; tokens.size() < count; ++i) {
    tokens.push_back(i < story.size() ? story[i] : story[before + (i - story.size()) % (story.size() - before)]);
  }
  return tokens;
}

std::vector<TokenId> other_tokens(const cpu::Tokenizer& tokenizer, std::uint32_t which, std::uint32_t count) {
  const std::uint32_t skipped = 2 + 5 * which;  // the begin token and more
  const std::vector<TokenId> tokens = story_tokens(tokenizer, skipped + count);
  return {tokens.begin() + skipped, tokens.end()};
}

}  // namespace kvarium
