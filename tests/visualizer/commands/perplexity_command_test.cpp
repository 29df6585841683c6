#include <filesystem>

#include "tests/support/scratch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using kvarium_test::check_refused;
using kvarium_test::contains;
using kvarium_test::Outcome;
using kvarium_test::run_kvarium;
using kvarium_test::ScratchFolder;

TEST_CASE("perplexity tells how many tokens it predicted and how well") {
  const ScratchFolder folder;
  const std::string text = folder.write("text.txt", "Once there was a little girl.").string();
  const Outcome whole = run_kvarium("perplexity '" + text + "'");
  CHECK(whole.exit_code == 0);
  CHECK_THAT(whole.out, contains("perplexity "));
  CHECK_THAT(whole.out, contains(" tokens predicted in windows of 512, "));
  CHECK_THAT(whole.error, contains("tales-target"));
  const Outcome windows = run_kvarium("perplexity '" + text + "' --window 4");
  CHECK_THAT(windows.out, contains(" in windows of 4, "));
}

TEST_CASE("perplexity refuses what is no text, in one line") {
  const ScratchFolder folder;
  check_refused("perplexity", "text");
  check_refused("perplexity /no/such/text", "text file /no/such/text: it cannot be read");
  check_refused("perplexity '" + folder.path().string() + "'", "it cannot be read");
  const std::string text = folder.write("text.txt", "Once upon a time").string();
  check_refused("perplexity '" + text + "' --model '" + text + "'", "it is no model: name a .gguf file");
  check_refused("perplexity '" + text + "' --window 1", "--window");
  check_refused("perplexity '" + text + "' --window 8193", "from 2 to 8192");
  std::filesystem::resize_file(text, (1U << 28U) + 1);
  check_refused("perplexity '" + text + "'", "it has more than 268435456 bytes");
  check_refused("tokenize --file '" + text + "'", "it has more than 268435456 bytes");
}

TEST_CASE("a model file without a tokenizer is refused by what it lacks") {
  const std::string model = KVARIUM_SOURCE_DIR "/tests/golden/models/";
  check_refused("generate --prompt a --model '" + model + "qwen3.gguf'", "tokenizer.ggml.model");
  check_refused("generate --prompt a --model '" + model + "llama'", "tokenizer.json: there is no such file");
}

TEST_CASE("a message is answered in the form of the model's conversations") {
  const Outcome chat = run_kvarium("generate --prompt 'What is your name?' --chat --tokens 4");
  CHECK(chat.exit_code == 0);
  // <|begin|>, <|im_start|>user and a new line, the message, <|im_end|> and a new line, <|im_start|>assistant
  CHECK_THAT(chat.error, contains("4 tokens after a prompt of"));
  CHECK(chat.out != run_kvarium("generate --prompt 'What is your name?' --tokens 4").out);
  check_refused("generate --prompt a --system b", "--chat");
}
