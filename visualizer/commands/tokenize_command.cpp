// kvarium tokenize: the tokens of a text, one a line.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/tokenizer/chat_template.h"
#include "cpu_reference/tokenizer/open_tokenizer.h"
#include "lessons/scenarios/model_choice.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/text_file.h"

namespace kvarium {
namespace {

struct Options {
  std::string model;
  std::optional<std::string> prompt;
  std::string file;
  std::string system;
  bool chat = false;
  bool specials = false;
  bool ids = false;
};

std::vector<TokenId> encode(const cpu::Tokenizer& tokenizer, const Options& options, const std::string& text) {
  if (options.specials) return tokenizer.encode_with_specials(text);
  if (!options.chat) return tokenizer.encode(text);
  if (auto tokens = cpu::chat_prompt(tokenizer, options.system, text)) return *std::move(tokens);
  throw InputError(std::string(tr("the model has no chat template that is known: leave --chat out")));
}

int run(const Options& options) {
  if (options.prompt.has_value() == !options.file.empty()) {
    throw InputError(std::string(tr("give the text by --prompt TEXT or by --file FILE")));
  }
  if (options.chat && options.specials) throw InputError(std::string(tr("--chat and --specials exclude each other")));
  if (!options.system.empty() && !options.chat) throw InputError(std::string(tr("--system needs --chat")));
  const std::string text = options.prompt ? *options.prompt : read_text_file(options.file);
  const std::shared_ptr<const cpu::Tokenizer> tokenizer =
      cpu::open_tokenizer(options.model.empty() ? cpu::shipped_model_path(kDefaultModel).string() : options.model);
  const std::vector<TokenId> tokens = encode(*tokenizer, options, text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (options.ids) {
      fmt::print("{}{}", i == 0 ? "" : " ", value(tokens[i]));
    } else {
      fmt::print("{:5} {:7}  {}\n", i, value(tokens[i]), tokenizer->name(tokens[i]));
    }
  }
  if (options.ids) fmt::print("\n");
  fmt::print(stderr, "{}", tr_format("{} tokens, {} bytes of text\n", tokens.size(), text.size()));
  return kDone;
}

}  // namespace

Command tokenize_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("tokenize", std::string(tr("Cut a text into a model's tokens")));
  flags->footer(
      std::string(tr("Each line: the token's position, its id, and its piece of the text.\n"
                     "Example: kvarium tokenize --prompt \"Once there was\"")));
  const auto options = std::make_shared<Options>();
  flags->add_option("--model", options->model,
                    std::string(tr("a .gguf file, a folder with a tokenizer.json, or a llama2.c tokenizer; none: "
                                   "that of the shipped models")));
  flags->add_option("--prompt", options->prompt, std::string(tr("the text")));
  flags->add_option("--file", options->file, std::string(tr("a file with the text")));
  flags->add_flag("--chat", options->chat, std::string(tr("as a user's message in the model's chat template")));
  flags->add_option("--system", options->system, std::string(tr("the system message, with --chat")));
  flags->add_flag("--specials", options->specials,
                  std::string(tr("names of control tokens in the text, as <|im_end|>, are those tokens")));
  flags->add_flag("--ids", options->ids, std::string(tr("only the ids, in one line")));
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
