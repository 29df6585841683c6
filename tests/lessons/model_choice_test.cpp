// Which model runs, and how a prompt is written for it.

#include "lessons/scenarios/model_choice.h"

#include <algorithm>

#include "core/error.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/seeded_model.h"
#include "tests/support/word_tokenizer.h"

using namespace kvarium;
using kvarium_test::contains;

TEST_CASE("without a name tales-target runs, and a shipped model by its name") {
  CHECK(choose_model("", "").model->config.shape.name == "tales-target");
  CHECK(choose_model("tales-one", "").model->config.shape.layers == 1);
  CHECK_THROWS_AS(choose_model("tales-none", ""), InputError);
  CHECK_THROWS_WITH(choose_model("", "tok512.bin"), contains("give --model FILE too"));
}

TEST_CASE("a chat needs a model that was trained on chats") {
  const ModelChoice plain{kvarium_test::seeded_model({}), kvarium_test::word_tokenizer()};
  CHECK_FALSE(can_chat(plain));
  CHECK_THROWS_WITH(encode_prompt(plain, "a", true), contains("was not trained on chats of a known form"));
  CHECK(can_chat(shipped_choice("tales-target")));
}

TEST_CASE("a story fills a prompt of any length, and its begin token stands only once") {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  const std::vector<TokenId> tokens = story_tokens(*choice.tokenizer, 200);
  REQUIRE(tokens.size() == 200);
  CHECK(std::count(tokens.begin(), tokens.end(), tokens[0]) == 1);
  CHECK(other_tokens(*choice.tokenizer, 0, 8) != other_tokens(*choice.tokenizer, 1, 8));
}
