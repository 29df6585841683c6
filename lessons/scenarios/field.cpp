#include "lessons/scenarios/field.h"

#include <map>
#include <utility>

#include "core/error.h"

namespace kvarium {

FieldMember member_of(std::string_view id) {
  static const std::map<std::string_view, FieldMember> kMembers{
      {"prompt", &ScenarioParams::prompt},
      {"model_path", &ScenarioParams::model_path},
      {"tokenizer_path", &ScenarioParams::tokenizer_path},
      {"trace_path", &ScenarioParams::trace_path},
      {"prompt_tokens", &ScenarioParams::prompt_tokens},
      {"new_tokens", &ScenarioParams::new_tokens},
      {"block_size", &ScenarioParams::block_size},
      {"num_blocks", &ScenarioParams::num_blocks},
      {"num_requests", &ScenarioParams::num_requests},
      {"candidates", &ScenarioParams::candidates},
      {"max_running", &ScenarioParams::max_running},
      {"token_budget", &ScenarioParams::token_budget},
      {"temperature", &ScenarioParams::temperature},
      {"seed", &ScenarioParams::seed},
      {"prefix_cache", &ScenarioParams::prefix_cache},
      {"queue_order", &ScenarioParams::queue_order},
      {"eviction", &ScenarioParams::eviction},
      {"scheduler", &ScenarioParams::scheduler},
      {"preemption", &ScenarioParams::preemption},
      {"sharing", &ScenarioParams::sharing},
      {"heads", &ScenarioParams::heads},
      {"prompt_kind", &ScenarioParams::prompt_kind},
      {"proposer", &ScenarioParams::proposer},
      {"draft_length", &ScenarioParams::draft_length},
      {"accepted", &ScenarioParams::accepted},
      {"fault", &ScenarioParams::fault},
      {"part", &ScenarioParams::part},
  };
  const auto member = kMembers.find(id);
  if (member == kMembers.end()) throw MisuseError("no parameter has the id " + std::string(id));
  return member->second;
}

const std::vector<FieldChoice>& choices_of(std::string_view id) {
  static const std::map<std::string_view, std::vector<FieldChoice>> kChoices{
      {"prefix_cache",
       {{"off", "off: nothing is found again"},
        {"hash", "hash: full blocks (vLLM)"},
        {"radix", "radix: a tree (SGLang)"}}},
      {"queue_order", {{"classic", "classic: all to the tail"}, {"2026", "2026: without hash first"}}},
      {"eviction",
       {{"lru", "lru: least recently used"},
        {"fifo", "fifo: first in, first out"},
        {"lfu", "lfu: least frequently used"},
        {"length-aware", "length-aware: lfu, deep first"},
        {"prefix-depth", "prefix-depth: deepest first"}}},
      {"scheduler",
       {{"continuous", "continuous: join at once"},
        {"chunked", "chunked: prompts in parts"},
        {"static", "static: batch after batch"},
        {"longest-prefix", "longest-prefix: most hits first"},
        {"depth-first", "depth-first: fullest branch"},
        {"priority", "priority: important first"}}},
      {"preemption", {{"recompute", "recompute: computed again"}, {"swap", "swap: to the host and back"}}},
      {"proposer",
       {{"oracle", "oracle: knows the answer"},
        {"ngram", "ngram: looks the last tokens up"},
        {"draft", "draft: a small model"},
        {"medusa", "medusa: heads on the model"},
        {"medusa-tree", "medusa-tree: several guesses each"}}},
      {"prompt_kind", {{"text", "text: to go on from"}, {"chat", "chat: a message to answer"}}},
      {"sharing", {{"fork", "fork: copy on write"}, {"append-only", "append-only: full blocks only"}}},
      {"heads",
       {{"mha", "mha: 6 KV heads, one a query head"},
        {"gqa", "gqa: 2 KV heads, one for 3"},
        {"mqa", "mqa: 1 KV head for all"},
        {"mla", "mla: one latent row for all"}}},
  };
  const auto choices = kChoices.find(id);
  if (choices == kChoices.end()) throw MisuseError("no parameter with choices has the id " + std::string(id));
  return choices->second;
}

std::vector<std::string> values_of(std::string_view id) {
  std::vector<std::string> values;
  for (const FieldChoice& choice : choices_of(id)) values.push_back(choice.value);
  return values;
}

ScenarioField number_field(std::string id, std::string name, std::string help, std::uint32_t low, std::uint32_t high) {
  return {std::move(id), std::move(name), std::move(help), FieldKind::number, low, high};
}

ScenarioField choice_field(std::string id, std::string name, std::string help, std::vector<FieldChoice> choices) {
  ScenarioField field{std::move(id), std::move(name), std::move(help), FieldKind::choice};
  field.choices = std::move(choices);
  return field;
}

std::uint64_t prompt_and_answer(const ScenarioParams& params) {
  return std::uint64_t{params.prompt_tokens} + params.new_tokens;
}

ScenarioField block_size_field() {
  ScenarioField field =
      number_field("block_size", "Block size (tokens)", "How many tokens' K and V one block holds.", 1, 784);
  field.stops = {1, 2, 4, 8, 16, 32, 64, 128, 256, 784};
  return field;
}

ScenarioField num_blocks_field() {
  return number_field("num_blocks", "Pool size (blocks)", "How many blocks there are for all requests together.", 1,
                      20000);
}

ScenarioField seed_field() {
  return number_field("seed", "Seed",
                      "Scrambles the order in which blocks are handed out; the same seed, the same run.", 0, 999999);
}

ScenarioField temperature_field() {
  ScenarioField field = number_field("temperature", "Temperature",
                                     "0: always the most likely token. Higher: more surprising tokens.", 0, 20);
  field.unit = 0.1F;
  return field;
}

ScenarioField draft_length_field() {
  return number_field("draft_length", "Draft length (tokens)", "How many tokens are guessed a round.", 1, 8);
}

ScenarioField max_running_field() {
  return number_field("max_running", "Places (requests)", "How many requests may run side by side.", 1, 26);
}

ScenarioField token_budget_field() {
  return number_field("token_budget", "Budget (tokens a step)",
                      "How many tokens one step may compute, over all requests: prompts count with all their tokens.",
                      1, 65536);
}

ScenarioField prefix_cache_field() {
  return choice_field("prefix_cache", "Prefix cache", "How K and V that earlier requests left behind are found again.",
                      choices_of("prefix_cache"));
}

ScenarioField queue_order_field() {
  return choice_field("queue_order", "Free blocks return",
                      "Where in the queue of free blocks a block goes that nobody holds any more. For the hash cache.",
                      choices_of("queue_order"));
}

ScenarioField eviction_field() {
  return choice_field("eviction", "Eviction", "Which cached block goes first when room is needed. For the hash cache.",
                      choices_of("eviction"));
}

ScenarioField scheduler_field() {
  return choice_field("scheduler", "Scheduler", "Who computes in the next step, and who has to wait.",
                      choices_of("scheduler"));
}

ScenarioField preemption_field() {
  return choice_field("preemption", "Preemption",
                      "What becomes of the K and V of a request that must make room for others.",
                      choices_of("preemption"));
}

}  // namespace kvarium
