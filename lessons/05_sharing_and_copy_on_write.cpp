// Lesson 05: three answers to one prompt. Their tables name the same blocks, and a block is copied only when somebody
// writes into it. Runs on scenario S03; the chapter is docs/lessons/05_sharing_and_copy_on_write.md.

#include <set>

#include "core/cost/kv_bytes.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0}, kB{1}, kC{2};

std::size_t used(const World& world) { return world.blocks.size() - world.free_blocks.size(); }

/// Blocks that the requests would hold if nobody shared: one for each entry of a table.
std::size_t entries(const World& world) {
  std::size_t sum = 0;
  for (const auto& request : world.requests) sum += request->table.size();
  return sum;
}

/// One line a request: its table.
std::string tables_figure(const World& world) {
  std::string figure;
  for (const auto& request : world.requests) {
    figure += letter(request->id) + "  " + show_table(world, request->id) + "\n";
  }
  return figure + show_pool(world);
}

void the_question(LessonKit& kit, const ScenarioRun& run) {
  const World prefilled = run.after_step(1);
  kit.say(
      std::string(tr("Sometimes you want several answers to the same question, to choose the best. Each answer is a "
                     "request of its own: it draws its own tokens. But the prompt is the same for all of them, and so "
                     "are its K and V.")));
  kit.ask({.text = tr_format("A prompt has {} tokens, a block holds {}. Three separate requests with this prompt: how "
                             "many blocks do they hold together?",
                             prefilled.request(kA).prompt_tokens, prefilled.block_size),
           .choices = {},
           .expected = "9",
           .answer = std::to_string(entries(prefilled)),
           .because = std::string(tr("Three blocks each. They would all hold the same numbers."))});
}

void the_fork(LessonKit& kit, ScenarioRun& run) {
  run.to_step(1, kit);
  const World& world = kit.world();
  kit.say(
      std::string(tr("A block table only names blocks. So three tables can name the same ones. The prompt is computed "
                     "once, by A; then B and C are forked from it: they get a copy of A's table, which is three small "
                     "numbers, and no copy of any K or V.")),
      {point(kA), point(kB), point(kC)});
  kit.show(tables_figure(world));
  kit.say(std::string(
      tr("The last line is the pool. Behind each used block stands x and its reference count: how many tables name it. "
         "A block goes back to the pool only when its count falls to 0. So nobody can lose a block that somebody else "
         "still needs.")));
  kit.ask(
      {.text = std::string(tr("How many blocks are in use now, for all three requests together?")),
       .choices = {},
       .expected = "3",
       .answer = std::to_string(used(world)),
       .because = tr_format("{} entries in the tables, and only {} blocks behind them.", entries(world), used(world))},
      {point(world.request(kA).table.back())});
}

void the_copy(LessonKit& kit, ScenarioRun& run) {
  const World before = kit.world();
  const World after = run.after_step(2);
  const BlockId last = before.request(kA).table.back();
  std::set<TokenId> drawn;
  for (const auto& request : before.requests) drawn.insert(request->tokens.back());
  kit.say(
      tr_format(
          "Now all three write on. They drew {} different first tokens, and each writes its own at position {}. "
          "That is in block {}, which has free slots, but all three tables name it. If A wrote there, B and C would "
          "read A's token.",
          drawn.size(), before.request(kA).computed_tokens, value(last)),
      {point(kA, 2), point(kB, 2), point(kC, 2), point(last)});
  kit.ask({.text = std::string(tr("Three requests want to write into one block. How many copies of it are needed?")),
           .choices = {},
           .expected = "2",
           .answer = std::to_string(after.copies.blocks - before.copies.blocks),
           .because = std::string(tr("A and B take copies. Then C is the only one left, and writes in place."))},
          {point(last)});
  run.to_step(2, kit);
  kit.show(tables_figure(kit.world()));
  const World& world = kit.world();
  const std::uint64_t bytes = kv_bytes(world.model, world.copies.tokens, ElementType::fp32);
  kit.expect("copied tokens", 8, world.copies.tokens);
  kit.say(tr_format("That is copy on write: share as long as everybody only reads, and copy at the first write. Only "
                    "the slots that are filled are copied: {} tokens together, {} bytes for this small model. The full "
                    "blocks are never written again, so they are never copied.",
                    world.copies.tokens, bytes),
          {point(kA, 2), point(kB, 2), point(kC, 2)});
  kit.ask({.text = std::string(tr("How many blocks are in use after this step?")),
           .choices = {},
           .expected = "5",
           .answer = std::to_string(used(world)),
           .because = tr_format("Two are shared by all, and each request has a last block of its own. Without sharing "
                                "it would be {}.",
                                entries(world))});
}

void the_growth(LessonKit& kit, ScenarioRun& run) {
  const std::uint64_t copied = kit.world().copies.blocks;
  const World after = run.after_step(6);
  kit.ask(
      {.text = std::string(tr("At position 24 a new block begins. Is anything copied then?")),
       .choices = {"yes", "no"},
       .expected = "no",
       .answer = after.copies.blocks > copied ? "yes" : "no",
       .because = std::string(tr("Each takes a fresh block. Only a block that is partly filled can need a copy."))});
  run.to_step(6, kit);
  kit.show(tables_figure(kit.world()));
  const World& world = kit.world();
  kit.expect("blocks with sharing", 8, used(world));
  kit.expect("blocks without sharing", 12, entries(world));
  kit.say(tr_format("{} blocks instead of {}: {:.0f} % less. The longer the prompt and the more answers, the more "
                    "sharing saves. What the answers add is each one's own.",
                    used(world), entries(world),
                    100.0 * static_cast<double>(entries(world) - used(world)) / static_cast<double>(entries(world))),
          {point(kA), point(kB), point(kC)});
}

/// The same three answers as separate requests that only share full blocks.
void the_other_way(LessonKit& kit, const ScenarioRun& run) {
  const Scenario& scenario = find_scenario("S03");
  ScenarioParams params = scenario.defaults;
  params.sharing = "append-only";
  params.new_tokens = 8;
  const ScenarioRun separate(scenario, params);
  const World world = separate.after_step(2);
  kit.expect("blocks, append-only", 5, used(world));
  kit.expect("copied blocks, append-only", 0, world.copies.blocks);
  kit.expect("tokens that B found", 16, world.request(kB).hit_tokens);
  const World ended = separate.after_step(separate.last_step());
  const World forked = run.after_step(run.last_step());
  std::uint64_t equal = 0;
  for (const RequestId id : {kA, kB, kC}) equal += ended.request(id).tokens == forked.request(id).tokens ? 1 : 0;
  kit.expect("answers that are the same in both ways", 3, equal);
  kit.say(
      std::string(tr("There is another way, and vLLM takes it today: share full blocks only, and never write into a "
                     "shared block at all. Then nothing needs to be copied. The three requests are separate; the "
                     "second and third find the full blocks of the first, and compute the last few tokens again.")));
  kit.show(tables_figure(world));
  kit.say(
      tr_format("Again {} blocks, no copy, and {} tokens computed again for each. The answers are the same. A table "
                "that only ever grows at its end is simpler to get right; how full blocks are found is the next "
                "lesson.",
                used(world), world.request(kB).prompt_tokens - world.request(kB).hit_tokens));
}

void the_end(LessonKit& kit, ScenarioRun& run) {
  run.to_end(kit);
  kit.expect("free blocks at the end", kit.world().blocks.size(), kit.world().free_blocks.size());
  kit.say(
      tr_format("At the end every table gives its blocks back. Each shared block is counted down three times, and "
                "returns at the third. All {} blocks are free again.",
                kit.world().free_blocks.size()));
  kit.say(std::string(
      tr("To remember: tables name blocks, so sharing costs nothing; a reference count says how many tables name a "
         "block; who writes into a shared block copies it first; full blocks are never copied.")));
}

}  // namespace

void sharing_and_copy_on_write(LessonKit& kit) {
  kit.title(std::string(tr("05 Sharing and copy on write")));
  const Scenario& scenario = find_scenario("S03");
  ScenarioParams params = scenario.defaults;
  params.new_tokens = 8;
  ScenarioRun run(scenario, params);
  the_question(kit, run);
  the_fork(kit, run);
  the_copy(kit, run);
  the_growth(kit, run);
  the_other_way(kit, run);
  the_end(kit, run);
}

}  // namespace kvarium
