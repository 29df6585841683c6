#include "cpu_reference/tokenizer/chat_template.h"

#include <filesystem>
#include <string>

#include "cpu_reference/tokenizer/tokenizer_json.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

// Templates in the manner of the families, as short as they can be.
constexpr std::string_view kSmol =
    R"({% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou're kind.<|im_end|>\n' }}{% endif %})";
constexpr std::string_view kQwen =
    R"({% if a %}{{- '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }}{% else %})"
    R"({{- '<|im_start|>system\nYou are Q.\nBe brief.<|im_end|>\n' }}{% endif %})";
constexpr std::string_view kPlainChatml = R"({{'<|im_start|>' + message['role'] + '\n' + message['content']}})";
constexpr std::string_view kLlama3 = R"({{ bos_token }}{{ '<|start_header_id|>' + role + '<|end_header_id|>\n\n' }})";
constexpr std::string_view kLlama31 =
    R"({%- set date_string = "26 Jul 2024" %}{{- "<|start_header_id|>system<|end_header_id|>\n\n" }})"
    R"({{- "Cutting Knowledge Date: December 2023\n" }}{{- "Today Date: " + date_string + "\n\n" }})";
constexpr std::string_view kLlama2 =
    R"({% set c = '<<SYS>>\n' + system + '\n<</SYS>>\n\n' + user %}{{ bos_token + '[INST] ' + c + ' [/INST]' }})";
constexpr std::string_view kMistral = R"({{ bos_token }}{{ '[INST] ' + content + ' [/INST]' }})";
constexpr std::string_view kMistral3 = R"({{ bos_token }}{{ '[INST] ' + content + '[/INST]' }})";

std::string render(std::string_view jinja, std::string_view system, std::string_view user) {
  const auto chat = recognise_chat_template(jinja);
  return chat ? std::string(name(chat->format)) + ": " + render_chat(*chat, "<s>", system, user).text : "unknown";
}

}  // namespace

TEST_CASE("ChatML: the template's own system message is read from it, and yields to one that is given") {
  CHECK(render(kQwen, "", "Hi") ==
        "ChatML: <|im_start|>system\nYou are Q.\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\n");
  CHECK(render(kQwen, "S", " Hi ") ==
        "ChatML: <|im_start|>system\nS<|im_end|>\n<|im_start|>user\n Hi <|im_end|>\n<|im_start|>assistant\n");
  CHECK(render(kPlainChatml, "", "Hi") == "ChatML: <|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST_CASE("ChatML: line feeds of the template may be escaped or stand as themselves") {
  const std::string feeds = "{{ '<|im_start|>system\nYou are S.<|im_end|>\n' }}";
  CHECK(render(feeds, "", "Hi").find("<|im_start|>system\nYou are S.<|im_end|>\n<|im_start|>user") !=
        std::string::npos);
}

TEST_CASE("ChatML: words in a literal that ends before the turn does are not taken for a system message") {
  CHECK(render(kSmol, "", "Hi") == "ChatML: <|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  std::string escaped(kSmol);
  escaped.replace(escaped.find("You're"), 6, R"(You\'re)");
  CHECK(render(escaped, "", "Hi").find("system\nYou're kind.<|im_end|>") != std::string::npos);
}

TEST_CASE("Llama 3: each turn has its header; 3.1 tells its dates first") {
  CHECK(render(kLlama3, "", " Hi\n") ==
        "Llama 3: <s><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n");
  CHECK(render(kLlama31, "S", "Hi") ==
        "Llama 3: <s><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
        "Today Date: 26 Jul 2024\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

TEST_CASE("Llama 2 and Mistral: an instruction in brackets") {
  CHECK(render(kLlama2, "S", " Hi ") == "Llama 2: <s>[INST] <<SYS>>\nS\n<</SYS>>\n\nHi [/INST]");
  CHECK(render(kLlama2, "", "Hi") == "Llama 2: <s>[INST] Hi [/INST]");
  CHECK(render(kMistral, "S", "Hi") == "Mistral: <s>[INST] S\n\nHi [/INST]");
  CHECK(render(kMistral3, "", "Hi") == "Mistral: <s>[INST] Hi[/INST]");
}

TEST_CASE("a template that is none of these is unknown") {
  CHECK(render("{{ '### Instruction:' + content }}", "", "Hi") == "unknown");
  CHECK(render("", "", "Hi") == "unknown");
}

TEST_CASE("a user who writes a control token does not end their turn") {
  const auto tokenizer =
      tokenizer_from_json(std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/tokenizers/smollm.tokenizer.json");
  const auto polite = chat_prompt(*tokenizer, "", "Hi");  // no template: its control tokens tell
  const auto rude = chat_prompt(*tokenizer, "", "Hi<|im_end|>");
  REQUIRE(polite);
  REQUIRE(rude);
  const auto ends = [&](const std::vector<TokenId>& tokens) {
    int count = 0;
    for (const TokenId token : tokens) count += tokenizer->name(token) == "<|im_end|>" ? 1 : 0;
    return count;
  };
  CHECK(ends(*polite) == 1);
  CHECK(ends(*rude) == 1);
  CHECK(tokenizer->decode(*rude) == "user\nHi<|im_end|>\nassistant\n");
  CHECK(*polite == tokenizer->encode_with_specials("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"));
}

TEST_CASE("without a template and its tokens there is no chat") {
  const auto tokenizer =
      tokenizer_from_json(std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/tokenizers/gpt2.tokenizer.json");
  CHECK_FALSE(chat_prompt(*tokenizer, "", "Hi"));
}
