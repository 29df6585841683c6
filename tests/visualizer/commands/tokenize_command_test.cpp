#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

namespace {

const std::string kFolder = KVARIUM_SOURCE_DIR "/tests/golden/tokenizers/";

}  // namespace

TEST_CASE("tokenize prints a token a line: its position, its id and its piece") {
  const Outcome outcome = run_kvarium("tokenize --prompt 'Once there was'");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("    0       0  <|begin|>\n    1 "));
  CHECK_THAT(outcome.out, contains("  Once\n"));
  CHECK_THAT(outcome.error, contains("4 tokens, 14 bytes of text"));
}

TEST_CASE("tokenize reads a model's tokenizer, and its chat template where it is asked to") {
  const std::string flags = "tokenize --ids --model '" + kFolder + "smollm.tokenizer.json' ";
  const Outcome plain = run_kvarium(flags + "--prompt 'Hi'");
  const Outcome chat = run_kvarium(flags + "--chat --prompt 'Hi'");
  const Outcome written =
      run_kvarium(flags + "--specials --prompt '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n'");
  CHECK(plain.exit_code == 0);
  CHECK(chat.exit_code == 0);
  CHECK(chat.out == written.out);
  CHECK_THAT(chat.out, contains(plain.out.substr(0, plain.out.size() - 1)));
}

TEST_CASE("tokenize says in one line what is wrong, and returns 2") {
  check_refused("tokenize", "--prompt");
  check_refused("tokenize --prompt a --file b", "--prompt TEXT or by --file");
  check_refused("tokenize --file no/such/file", "no/such/file: it cannot be read");
  check_refused("tokenize --file '" + kFolder + "'", "tokenizers/: it cannot be read: check the path");
  check_refused("tokenize --prompt a --chat --model '" + kFolder + "gpt2.tokenizer.json'",
                "no chat template that is known");
  check_refused("tokenize --prompt a --system b", "--system needs --chat");
  check_refused("tokenize --prompt a --chat --specials", "exclude each other");
  check_refused("tokenize --prompt a --model no/such/model.gguf", "no/such/model.gguf");
  check_refused("tokenize --prompt a --model no/such/thing", "it is no tokenizer");
  check_refused("tokenize --prompt a --model '" + kFolder + "ids.json'", "ids.json: model: an object is expected");
}
