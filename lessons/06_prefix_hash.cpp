// Lesson 06: a prompt that begins like an earlier one. Full blocks are found again by a hash of all that stands in them
// and before them. Runs on scenario S04; the chapter is docs/lessons/06_prefix_hash.md.

#include <algorithm>
#include <utility>

#include "core/prefix/block_hash.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0}, kB{1};
constexpr std::uint32_t kBlockSize = 16;

std::size_t findable(const World& world) {
  return static_cast<std::size_t>(std::count_if(world.blocks.begin(), world.blocks.end(),
                                                [](const BlockState& block) { return block.hash.has_value(); }));
}

/// B at the end of scenario S04.
RequestState second(const std::string& part, std::uint32_t block_size, const std::string& cache) {
  const Scenario& scenario = find_scenario("S04");
  ScenarioParams params = scenario.defaults;
  params.part = part;
  params.block_size = block_size;
  params.prefix_cache = cache;
  const ScenarioRun run(scenario, params);
  return run.after_step(run.last_step()).request(kB);
}

/// What it found.
std::uint32_t found(const std::string& part, std::uint32_t block_size, const std::string& cache) {
  return second(part, block_size, cache).hit_tokens;
}

/// Runs the requests one after the other with a hash cache; the last state.
World serve_in_turn(const ModelChoice& choice, const std::vector<RequestSpec>& requests, unsigned hash_bits = 128,
                    bool verify = false) {
  ScenarioParams params = find_scenario("S04").defaults;
  EngineSetup setup = make_setup(params);
  setup.config.prefix_cache.hash_bits = hash_bits;
  setup.config.prefix_cache.hash.verify_tokens = verify;
  std::vector<Arrival> arrivals;
  for (const RequestSpec& request : requests) arrivals.push_back({request, std::nullopt});
  Trace trace;
  serve(choice, std::move(setup), arrivals, trace, CancelToken());
  return trace.newest();
}

void the_idea(LessonKit& kit, ScenarioRun& run) {
  kit.say(
      std::string(tr("Many prompts begin in the same way: the same instructions, the same document, the same "
                     "conversation one turn later. K and V of a token depend on the tokens before it and on nothing "
                     "that follows. So if two prompts begin alike, K and V of the beginning are alike too, and the "
                     "second request could use those of the first.")));
  kit.say(std::string(
      tr("To find them, each full block gets a name: a hash, which is a number computed from the 16 tokens in "
         "it and from the name of the block before it. The names form a chain. A table says which block "
         "has which name. This is how vLLM does it.")));
  run.through<PoolCreated>(kit);
  run.to_step(0, kit);
}

void the_first_request(LessonKit& kit, ScenarioRun& run) {
  const World ended = run.after_step(4);
  kit.ask(
      {.text = tr_format("A comes with {} tokens and writes {} more; blocks hold {}. How many of A's blocks get a "
                         "name?",
                         ended.request(kA).prompt_tokens,
                         ended.request(kA).tokens.size() - ended.request(kA).prompt_tokens, ended.block_size),
       .choices = {},
       .expected = "3",
       .answer = std::to_string(findable(ended)),
       .because = std::string(tr("Only full blocks have one, and the fourth is not full: K and V of the last written "
                                 "token are never computed, as nothing comes after it."))},
      {point(kA)});
  run.to_step(4, kit);
  kit.show(show_cached(kit.world()));
  kit.say(
      tr_format("A has ended, and all {} blocks are free. But {} of them can still be found by their name. They wait "
                "in the queue like any other free block. If nobody asks for them they are handed out again one day, "
                "and only then forgotten. Memory that nobody uses costs nothing.",
                kit.world().free_blocks.size(), findable(kit.world())));
}

void the_hit(LessonKit& kit, ScenarioRun& run) {
  const World after = run.after_step(5);
  kit.ask({.text = tr_format("B comes with {} tokens. The first 40 are the same as A's. How many of them are found?",
                             after.request(kB).prompt_tokens),
           .choices = {},
           .expected = "32",
           .answer = std::to_string(after.request(kB).hit_tokens),
           .because = std::string(tr("Whole blocks only: two blocks of 16. The other 8 lie in a block that goes on "
                                     "differently."))});
  run.to_step(5, kit);
  const World& world = kit.world();
  kit.expect("tokens that B computed", 38, world.request(kB).new_count);
  const bool same = second("a", kBlockSize, "off").tokens == second("a", kBlockSize, "hash").tokens;
  kit.expect("B's answer is the same without a cache", 1, same ? 1 : 0);
  kit.show("B  " + show_table(world, kB));
  kit.say(
      tr_format("B's table starts with A's two blocks, {} and {}, taken back from the queue of free blocks. B computed "
                "{} tokens instead of {}. Its first token comes that much sooner, and its answer is the same as "
                "without a cache.",
                value(world.request(kB).table[0]), value(world.request(kB).table[1]), world.request(kB).new_count,
                world.request(kB).prompt_tokens),
      {point(kB, 0), point(kB, 1)});
}

void the_rules(LessonKit& kit) {
  const std::uint32_t large = found("b", 256, "hash");
  kit.expect("240 tokens in blocks of 16", 240, found("b", 16, "hash"));
  kit.expect("240 tokens in blocks of 784", 0, found("b", 784, "hash"));
  kit.ask({.text = std::string(tr("Two prompts share 240 tokens. Now a block holds 256. How many are found?")),
           .choices = {},
           .expected = "0",
           .answer = std::to_string(large),
           .because = std::string(tr("No block is full with shared tokens only. In blocks of 16 all 240 are found."))});
  const std::uint32_t whole = found("c", 16, "hash");
  kit.ask(
      {.text = std::string(tr("The very same prompt of 32 tokens comes again. How many are found in blocks of 16?")),
       .choices = {},
       .expected = "16",
       .answer = std::to_string(whole),
       .because = std::string(tr("Not 32: the next token is guessed from the last one, so the last one must be "
                                 "computed, and with it its block."))});
  const std::uint32_t page_1 = found("c", 1, "radix");
  kit.expect("the whole prompt with pages of 1", 31, page_1);
  kit.say(
      tr_format("With blocks of one token it would be {} of 32. Smaller blocks find more, and mean longer tables. 16 "
                "is a common middle.",
                page_1));
  kit.ask(
      {.text = std::string(tr("Two prompts differ in their first 16 tokens; the second 16 are the same. How many are "
                              "found?")),
       .choices = {},
       .expected = "0",
       .answer = std::to_string(found("d", 16, "hash")),
       .because = std::string(tr("K and V of a token depend on everything before it. That is why the name of a block "
                                 "contains the name of the one before."))});
}

/// Two tenants with the same prompt.
void the_salt(LessonKit& kit, const ModelChoice& choice) {
  RequestSpec ann;
  ann.prompt = story_tokens(*choice.tokenizer, 33);
  ann.max_new_tokens = 1;
  ann.keys.tenant_salt = "Ann";
  RequestSpec bob = ann;
  bob.keys.tenant_salt = "ann";
  const World world = serve_in_turn(choice, {ann, ann, bob});
  kit.expect("the same salt", 32, world.request(RequestId{1}).hit_tokens);
  kit.ask(
      {.text = std::string(tr("A server keeps its customers apart with a salt, a word that goes into the first name "
                              "of the chain. A prompt came with the salt Ann; now it comes with the salt ann. How "
                              "many of its 32 tokens in full blocks are found?")),
       .choices = {},
       .expected = "0",
       .answer = std::to_string(world.request(RequestId{2}).hit_tokens),
       .because =
           std::string(tr("Another salt, other names. Whoever could hit a stranger's blocks could learn from the "
                          "time it takes what the stranger asked."))});
}

/// Another block of tokens with the same name as `wanted`, and how many were tried.
std::vector<TokenId> collision(const BlockHasher& hasher, const std::vector<TokenId>& wanted,
                               std::vector<TokenId> tokens, std::size_t& tries) {
  const BlockHash name = hasher.block(hasher.root(), wanted);
  constexpr std::int32_t kFirstWord = 300, kLastWord = 500;
  for (std::int32_t a = kFirstWord; a < kLastWord; ++a) {
    for (std::int32_t b = kFirstWord; b < kLastWord; ++b) {
      tokens[kBlockSize - 2] = TokenId{a};
      tokens[kBlockSize - 1] = TokenId{b};
      ++tries;
      if (hasher.block(hasher.root(), tokens) == name) return tokens;
    }
  }
  return {};
}

/// A hash of 8 bits, and somebody who looks for two prompts with the same one.
void the_poison(LessonKit& kit, const ModelChoice& choice) {
  constexpr unsigned kBits = 8;
  const BlockHasher hasher(kBlockSize, kBits);
  RequestSpec victim;
  victim.prompt = story_tokens(*choice.tokenizer, kBlockSize + 1);
  victim.max_new_tokens = 8;
  RequestSpec attacker = victim;
  const std::vector<TokenId> first(victim.prompt.begin(), victim.prompt.begin() + kBlockSize);
  std::size_t tries = 0;
  attacker.prompt = collision(hasher, first, other_tokens(*choice.tokenizer, 1, kBlockSize), tries);
  attacker.prompt.push_back(victim.prompt.back());

  const World alone = serve_in_turn(choice, {victim});
  const World poisoned = serve_in_turn(choice, {attacker, victim}, kBits);
  const World verified = serve_in_turn(choice, {attacker, victim}, kBits, true);
  kit.say(
      tr_format("A hash can be the same for two different blocks. With 128 bits that does not happen by accident. To "
                "see what it would do, keep only {} bits: 256 names. Somebody who tries other prompts finds one with "
                "the same name as yours after {} tries.",
                kBits, tries));
  kit.ask({.text = std::string(tr("Their prompt came first. Now yours comes. How many tokens does your request find?")),
           .choices = {},
           .expected = "16",
           .answer = std::to_string(poisoned.request(kB).hit_tokens),
           .because = std::string(tr("The names are equal, so the wrong block is taken for yours."))});
  const std::uint64_t changed = poisoned.request(kB).tokens == alone.request(kA).tokens ? 0 : 1;
  kit.expect("the answer is another one", 1, changed);
  kit.say(
      std::string(tr("And your answer is another one: the model read K and V of somebody else's prompt. The cache is "
                     "poisoned, and nothing failed. The cure is to keep the tokens of each block and compare them.")));
  kit.ask({.text = std::string(tr("With tokens compared at each hit, how many tokens are found?")),
           .choices = {},
           .expected = "0",
           .answer = std::to_string(verified.request(kB).hit_tokens),
           .because = std::string(tr("The name is right and the tokens are not: a miss, and the right answer."))});
  kit.expect("verified: the answer is right", 1, verified.request(kB).tokens == alone.request(kA).tokens ? 1 : 0);
}

void the_end(LessonKit& kit, ScenarioRun& run) {
  run.to_end(kit);
  kit.say(std::string(tr(
      "To remember: full blocks only; the last token is always computed; a difference ends the match; the name of a "
      "block stands for all tokens before it, for the salt and for the adapter; what is free can still be found until "
      "it is handed out. The next lesson keeps the same prompts in a tree.")));
}

}  // namespace

void prefix_hash(LessonKit& kit) {
  kit.title(std::string(tr("06 Prefix cache with hashes")));
  const Scenario& scenario = find_scenario("S04");
  ScenarioRun run(scenario, scenario.defaults);
  the_idea(kit, run);
  the_first_request(kit, run);
  the_hit(kit, run);
  the_rules(kit);
  const ModelChoice choice = shipped_choice(kDefaultModel);
  the_salt(kit, choice);
  the_poison(kit, choice);
  the_end(kit, run);
}

}  // namespace kvarium
