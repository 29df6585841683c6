// Lesson 07: a tree of prompts. Five prompts in a pool of 16 slots; nodes that split where prompts part, a leaf that
// makes room, and a lock that forbids it. Runs on scenario S05; the chapter is docs/lessons/07_radix_tree.md.

#include <algorithm>

#include "core/prefix/radix_cache.h"
#include "core/token_text.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

/// The node's tokens as text, without the blank before the first word.
std::string words(const World& world, const std::vector<TokenId>& tokens) {
  std::string text;
  for (const TokenId token : tokens) text += printable(world.text_of(token));
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string slots(const std::vector<BlockId>& blocks) {
  std::string text;
  for (const BlockId block : blocks) text += " " + std::to_string(value(block));
  return text;
}

void add_lines(const World& world, NodeId id, const std::vector<std::vector<NodeId>>& children, std::size_t depth,
               std::string& text) {
  for (const NodeId child : children[index(id)]) {
    const RadixNodeState& node = *world.radix[index(child)];
    const std::string name = std::string(3 * depth, ' ') + "+- " + words(world, node.tokens);
    const std::string_view unit = node.tokens.size() == 1 ? tr("token, ") : tr("tokens,");
    text += tr_format("{:<36}{:>2} {} slots{}\n", name, node.tokens.size(), unit, slots(node.blocks));
    add_lines(world, child, children, depth + 1, text);
  }
}

/// The tree, one line a node: its words, and the slots that hold their K and V.
std::string tree_figure(const World& world) {
  std::string text;
  add_lines(world, NodeId{0}, radix_children(world), 0, text);
  return text;
}

std::size_t num_nodes(const World& world) {
  return static_cast<std::size_t>(
      std::count_if(world.radix.begin() + 1, world.radix.end(), [](const auto& node) { return node->exists; }));
}

/// Without the answer.
std::string prompt(const World& world, RequestId id) {
  const RequestState& request = world.request(id);
  return words(world, {request.tokens.begin(), request.tokens.begin() + request.prompt_tokens});
}

/// The words of the nodes that are in `before` and not in `after`.
std::string evicted_words(const World& before, const World& after) {
  std::string text;
  for (std::size_t id = 1; id < before.radix.size(); ++id) {
    const RadixNodeState& node = *before.radix[id];
    const bool stays = std::any_of(after.radix.begin(), after.radix.end(), [&](const auto& other) {
      return other->exists && other->tokens == node.tokens && other->blocks == node.blocks;
    });
    if (node.exists && !stays) text += (text.empty() ? "" : ", ") + words(before, node.tokens);
  }
  return text;
}

void one_prompt(LessonKit& kit, ScenarioRun& run) {
  run.through<PoolCreated>(kit);
  kit.say(std::string(
      tr("Lesson 06 found prefixes by a hash for each full block: a long list, and a look-up for every block "
         "of a prompt. SGLang keeps a tree instead (RadixAttention, Zheng et al. 2024). Each way from the "
         "root downwards spells a text whose K and V are kept, and prompts that begin alike share the "
         "beginning of their way.")));
  kit.say(
      tr_format("Here the pool has {} blocks of {} token each, so a block is one slot, and prompts may part at any "
                "word. Each word of this lesson is one token.",
                kit.world().blocks.size(), kit.world().block_size));
  run.to_step(1, kit);
  kit.say(
      tr_format("The first prompt is \"{}\". When it has been computed, its {} tokens join the tree as one node, not "
                "as {}: an edge holds a whole run of tokens until a prompt parts inside it. That is what makes a "
                "tree a radix tree.",
                prompt(kit.world(), RequestId{0}), kit.world().request(RequestId{0}).prompt_tokens,
                kit.world().request(RequestId{0}).prompt_tokens),
      {point(RequestId{0})});
  kit.show(tree_figure(kit.world()));
}

void a_split(LessonKit& kit, ScenarioRun& run) {
  const World next = run.after_step(2);
  const RequestState& b = next.request(RequestId{1});
  kit.ask({.text = tr_format("The next prompt is \"{}\". How many of its {} tokens are in the tree?",
                             prompt(next, b.id), b.prompt_tokens),
           .choices = {},
           .expected = "5",
           .answer = std::to_string(b.hit_tokens),
           .because = std::string(tr("\"The little girl saw a\" is the longest beginning that both have."))});
  run.to_step(2, kit);
  kit.say(
      std::string(tr("The match ends inside a node, so the node is split there: the upper half is what both prompts "
                     "share, and below it hang their two ends. No K and no V moves; the list of slots is cut in two. "
                     "Even looking up changes the tree, which a hash table never does.")));
  kit.show(tree_figure(kit.world()));
}

void more_prompts(LessonKit& kit, ScenarioRun& run) {
  const World third = run.after_step(3), fourth = run.after_step(4);
  kit.ask({.text = tr_format("Now comes \"The little girl was sad\". How many nodes will the tree have, the root not "
                             "counted? Now it has {}.",
                             num_nodes(kit.world())),
           .choices = {},
           .expected = "5",
           .answer = std::to_string(num_nodes(third)),
           .because = std::string(tr("\"The little girl\" is split off, which makes one more, and \"was sad\" is "
                                     "another."))});
  run.to_step(3, kit);
  kit.show(tree_figure(kit.world()));
  kit.expect("hit of the third prompt", 3, third.request(RequestId{2}).hit_tokens);
  kit.expect("hit of the fourth prompt", 8, fourth.request(RequestId{3}).hit_tokens);
  run.to_step(4, kit);
  kit.say(tr_format("The fourth prompt is the first one and one word more: {} of its {} tokens are found, and only the "
                    "last must be computed. One token at least is always computed, also when all are found: only "
                    "computing gives the probabilities of the next word.",
                    fourth.request(RequestId{3}).hit_tokens, fourth.request(RequestId{3}).prompt_tokens),
          {point(RequestId{3})});
  kit.show(tree_figure(kit.world()));
}

void making_room(LessonKit& kit, ScenarioRun& run) {
  const World before = kit.world(), after = run.after_step(5);
  const RadixSizes sizes = radix_sizes(before);
  kit.expect("tokens in the tree", 14, sizes.evictable + sizes.locked);
  kit.say(
      tr_format("{} slots are in the tree and {} are free. The last prompt is \"One day my friend\": {} words, nothing "
                "of it is in the tree, and it needs {} slots. Somebody must go: the leaf that rested longest. Only "
                "leaves go, because what hangs below a node is of no use without it.",
                sizes.evictable + sizes.locked, before.free_blocks.size(), after.request(RequestId{4}).prompt_tokens,
                after.request(RequestId{4}).prompt_tokens));
  kit.ask({.text = std::string(tr("Which leaf is it?")),
           .choices = {"box in the", "was sad", "and"},
           .expected = "box in the",
           .answer = evicted_words(before, after),
           .because = std::string(tr("It came with the second prompt, and nobody has used it since. \"was sad\" came "
                                     "later."))});
  run.to_step(5, kit);
  kit.show(tree_figure(kit.world()));
  const auto at = std::find_if(kit.world().radix.begin() + 1, kit.world().radix.end(), [&](const auto& node) {
    return node->exists && words(kit.world(), node->tokens).rfind("One", 0) == 0;
  });
  const std::vector<BlockId> taken = (*at)->blocks;
  kit.say(
      tr_format("The whole leaf went, although one slot less would have done: a node is evicted as a whole. The new "
                "prompt has slots{}: first the two that were free, then two of the three that became free.",
                slots(taken)));
}

std::vector<TokenId> numbered(std::initializer_list<std::int32_t> tokens) {
  std::vector<TokenId> list;
  for (const std::int32_t token : tokens) list.push_back(TokenId{token});
  return list;
}

/// The same tree again, by hand, and then room is made for two tokens: which tokens' slots go?
std::vector<BlockId> evicted_when(bool second_is_locked) {
  RadixCache tree(1);
  std::uint32_t next_slot = 0;
  NodeId second{};
  for (const auto& prompt : {numbered({1, 2, 3, 4, 5, 6, 7, 8}), numbered({1, 2, 3, 4, 5, 9, 10, 11}),
                             numbered({1, 2, 3, 12, 13}), numbered({1, 2, 3, 4, 5, 6, 7, 8, 14})}) {
    std::vector<BlockId> blocks = tree.match(prompt).blocks;
    while (blocks.size() < prompt.size()) blocks.push_back(BlockId{next_slot++});
    const NodeId node = tree.insert(prompt, blocks).node;
    if (next_slot == 11) second = node;  // 8 slots of the first prompt, 3 of the second
  }
  if (second_is_locked) tree.lock(second);
  return tree.evict(2).blocks;
}

void locks(LessonKit& kit) {
  kit.say(std::string(
      tr("A request that runs reads the K and V of its prompt at every step, so they must not go. It holds a "
         "lock on the node where its prompt ends, and the lock counts for all nodes above it, up to the "
         "root. What has no lock may be evicted.")));
  kit.expect("first slot that goes without a lock", 8, value(evicted_when(false).front()));
  const std::vector<BlockId> locked = evicted_when(true);
  kit.ask(
      {.text = std::string(tr("Suppose that the second prompt still ran, and \"box in the\" were locked. Which leaf "
                              "would go instead?")),
       .choices = {"was sad", "big red ball", "and"},
       .expected = "was sad",
       .answer = locked == std::vector<BlockId>{BlockId{11}, BlockId{12}} ? "was sad" : "another one",
       .because = tr_format("Slots{} are those of the third prompt's end, the next in age. \"big red ball\" is no "
                            "leaf: \"and\" hangs below it.",
                            slots(locked))});
}

void the_end(LessonKit& kit) {
  kit.say(
      std::string(tr("Tree or hashes? Both find the same whole blocks; their tests run the same table of cases. The "
                     "tree can share single tokens and evicts by branches; hashes need no tree that changes at "
                     "every look-up, and a block is found without walking to it.")));
  kit.say(
      std::string(tr("To remember: an edge holds a run of tokens; a node splits where prompts part; a lock protects a "
                     "node and all above it; the least recently used leaf without a lock makes room, whole.")));
}

}  // namespace

void radix_tree(LessonKit& kit) {
  kit.title(std::string(tr("07 A tree of prompts")));
  const Scenario& scenario = find_scenario("S05");
  ScenarioRun run(scenario, scenario.defaults);
  one_prompt(kit, run);
  a_split(kit, run);
  more_prompts(kit, run);
  making_room(kit, run);
  run.to_end(kit);
  locks(kit);
  the_end(kit);
}

}  // namespace kvarium
