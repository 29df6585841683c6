// Lesson 11: guess a few tokens, check them in one pass, take the wrong ones back. Scenario S06, the worked position of
// rejection sampling, and what guessing is worth. The chapter is docs/lessons/11_speculative_rollback.md.

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/cost/claims.h"
#include "core/cost/model_shapes.h"
#include "core/cost/roofline.h"
#include "core/cost/units.h"
#include "core/metrics/speculation_report.h"
#include "core/speculation/residual.h"
#include "core/speculation/rule_experiment.h"
#include "core/speculation/theory.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "lessons/kit/figures.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"
#include "lessons/scenarios/set_parameter.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0};
constexpr BlockId kTakenForDrafts{5};

using Row = std::vector<double>;

ScenarioRun run_with(const std::string& field, const std::string& value) {
  const Scenario& scenario = find_scenario("S06");
  ScenarioParams params = scenario.defaults;
  set_parameter(scenario, params, {field, value});
  return {scenario, params};
}

/// After the first round.
World after_round(std::uint32_t accepted) { return run_with("accepted", std::to_string(accepted)).after_step(2); }

/// Slots of the request's blocks whose K and V were taken back; of a returned block, all of them.
std::uint32_t stale_slots(const World& world, BlockId block) {
  const RequestState& a = world.request(kA);
  const auto at = std::find(a.table.begin(), a.table.end(), block);
  const std::uint32_t written = world.blocks[index(block)].written;
  return at == a.table.end() ? written
                             : written - filled_slots(world, a, static_cast<std::size_t>(at - a.table.begin()));
}

std::uint64_t rounded(double number) { return static_cast<std::uint64_t>(std::lround(number)); }

// --- why a check is cheap

/// Seconds of a pass of one request over so many tokens: the weights and K and V are read once, whatever their number.
double pass_seconds(std::uint32_t tokens) {
  const Part one = decode_cost({find_model_shape("llama-3.1-8b")}).all();
  return seconds(find_hardware("H100 SXM"), {one.flops * tokens, one.bytes});
}

void the_idea(LessonKit& kit) {
  kit.say(std::string(
      tr("A model writes one token in each pass, and in each pass it reads all its weights (lesson 02). But it can "
         "look at several tokens in one pass, as it does with a prompt. If somebody guessed the next few tokens, one "
         "pass could say which of the guesses are right. Guess, check, take back what was wrong: that is speculative "
         "decoding (Leviathan et al. 2023, Chen et al. 2023).")));
  const double one = pass_seconds(1), six = pass_seconds(6);
  kit.ask({.text = tr_format("On an H100 a pass of Llama 3.1 8B over one token takes {} at least: that long it reads. "
                             "How long does a pass over six tokens take?",
                             duration(one)),
           .choices = {std::string(tr("as long")), std::string(tr("6 times as long"))},
           .expected = std::string(tr("as long")),
           .answer = std::string(six < 1.01 * one ? tr("as long") : tr("6 times as long")),
           .because = tr_format("The bytes are the same, and the arithmetic units stood idle. Only at some {} tokens "
                                "would the arithmetic take as long as the reading.",
                                rounded(one / pass_seconds(1'000'000) * 1'000'000))});
  kit.say(std::string(
      tr("Who guesses? A small model, or a few extra heads on the large one, or a look at what followed the same "
         "words earlier in the text. Here it is an oracle: it knows the answer, and is told to be right twice in each "
         "round. A guess is called a draft, the model that checks it the target.")));
}

// --- one round

void the_round(LessonKit& kit, ScenarioRun& run) {
  run.to_step(1, kit);
  const RequestState& a = kit.world().request(kA);
  kit.expect("tokens with K and V before the round", 10, a.computed_tokens);
  kit.say(tr_format("Request A has {} tokens. The cache holds K and V of the first {}; the newest token has none yet, "
                    "they are computed when it is fed back.",
                    a.tokens.size(), a.computed_tokens),
          {point(kA, 2)});
  kit.show(table_figure(kit.world(), a));
  const DraftProposed drafts = run.through<DraftProposed>(kit);
  std::string guesses;
  for (const TokenId token : drafts.tokens) guesses += "[" + kit.world().text_of(token) + "]";
  kit.say(tr_format("The oracle guesses {} tokens: {}", drafts.tokens.size(), guesses), {point(kA), tab_point("spec")});
  const World passed = [&] {
    run.through<KvRead>(kit);
    return kit.world();
  }();
  kit.ask({.text = tr_format("One pass computes the newest token and all {} guesses. They need room in the cache too. "
                             "Block 12 has two empty slots. How many new blocks must be taken?",
                             drafts.tokens.size()),
           .choices = {},
           .expected = "1",
           .answer = std::to_string(passed.request(kA).table.size() - 3),
           .because = tr_format("{} positions, from 10 to 15: two go into block 12, four into block {}.",
                                passed.request(kA).new_count, value(passed.request(kA).table.back()))},
          {point(kA, 3)});
  const World after = run.after_step(2);
  kit.ask({.text = std::string(tr("The first two guesses are right, the third is not. How many tokens does this round "
                                  "give A?")),
           .choices = {},
           .expected = "3",
           .answer = std::to_string(after.request(kA).tokens.size() - passed.request(kA).tokens.size()),
           .because = std::string(tr("Two guesses, and one more: the pass also says what should stand where the third "
                                     "guess was wrong. So a round never gives less than plain decoding."))});
  run.to_step(2, kit);
  kit.show(round_text(rounds_of_step(run.trace(), after).front(), after));
}

// --- taking back

std::string rollback_figure() {
  std::string figure = fmt::format("{:>8} {:>7} {:>9}   {:<12} {}\n", tr("accepted"), tr("tokens"), tr("K and V"),
                                   tr("table"), tr("block 5"));
  for (const std::uint32_t accepted : {0U, 1U, 2U, 5U}) {
    const World world = after_round(accepted);
    const RequestState& a = world.request(kA);
    const bool kept = a.table.back() == kTakenForDrafts;
    const std::string fate = kept ? tr_format("kept, {} slots stale", stale_slots(world, kTakenForDrafts))
                                  : tr_format("returned, {} slots stale", stale_slots(world, kTakenForDrafts));
    const std::string table = show_table(world, kA);
    figure += fmt::format("{:>8} {:>7} {:>9}   {:<12} {}\n", accepted, world.speculation.accepted + 1,
                          a.computed_tokens, table.substr(0, table.find(']') + 1), fate);
  }
  return figure;
}

void taking_back(LessonKit& kit) {
  const World two = after_round(2);
  kit.say(tr_format("K and V of {} tokens count now. Positions 13, 14 and 15 hold K and V of wrong guesses. Nothing is "
                    "erased: only the length moves, and the next round writes over them. Such slots are stale.",
                    two.request(kA).computed_tokens),
          {point(kA, 3), tab_point("blocks")});
  const World one = after_round(1);
  const auto& kept = one.request(kA).table;
  const bool returned = std::find(kept.begin(), kept.end(), kTakenForDrafts) == kept.end();
  kit.ask({.text = std::string(tr("Had only one guess been right, K and V of 12 tokens would count. What would become "
                                  "of block 5?")),
           .choices = {std::string(tr("it stays, with four stale slots")), std::string(tr("it goes back to the pool"))},
           .expected = std::string(tr("it goes back to the pool")),
           .answer = std::string(returned ? tr("it goes back to the pool") : tr("it stays, with four stale slots")),
           .because = std::string(tr("It was taken for guesses alone, and none of its tokens is kept. Others may need "
                                     "it more."))});
  kit.show(rollback_figure());
  kit.expect("K and V after nothing was accepted", 11, after_round(0).request(kA).computed_tokens);
  kit.expect("K and V after all five were accepted", 16, after_round(5).request(kA).computed_tokens);
  kit.expect("stale slots of block 5 after two", 3, stale_slots(two, kTakenForDrafts));
  kit.expect("stale slots of the returned block 5", 4, stale_slots(one, kTakenForDrafts));
  const Claim claim = find_claim("F20");
  kit.say(tr_format("A popular guide says of this: {}. {}", claim.popular, claim.why));
}

void the_prefix_cache(LessonKit& kit) {
  const ScenarioRun run = run_with("prefix_cache", "hash");
  const World after = run.after_step(2);
  const bool found = after.blocks[index(kTakenForDrafts)].hash.has_value();
  std::uint64_t cached = 0;
  for (const BlockState& block : after.blocks) cached += block.hash ? 1 : 0;
  kit.expect("blocks that others find after the round", 3, cached);
  kit.ask({.text = std::string(tr("In the pass block 5 was full, with K and V of wrong guesses in it. With a prefix "
                                  "cache on (lesson 06): can another request find block 5 by its hash?")),
           .choices = {std::string(tr("yes")), std::string(tr("no"))},
           .expected = std::string(tr("no")),
           .answer = std::string(found ? tr("yes") : tr("no")),
           .because = tr_format("A block can be found only when it is full of tokens that were kept: after the round "
                                "those are the first {}. A rejected token is never offered to anybody.",
                                cached)});
}

// --- the small model's own cache

void the_draft_cache(LessonKit& kit) {
  const ScenarioRun run = run_with("proposer", "draft");
  const auto behind = [](const RequestState& a) { return a.tokens.size() - 1 - a.draft_cached; };
  std::uint64_t full = 0, partial = 0;
  for (std::uint64_t step = run.last_step() - 1; step > 1; --step) {
    const std::optional<DraftRound> round = run.after_step(step).request(kA).round;
    if (!round) continue;
    (round->accepted() == round->tokens.size() ? full : partial) = step;
  }
  if (full == 0 || partial == 0) throw MisuseError("the small model is always right, or never");
  kit.say(std::string(
      tr("A small model that guesses has a cache of its own, and it must be taken back as well. It reads the newest "
         "token and then its own guesses, one after the other, to make the next one; the last guess it need not "
         "read.")));
  kit.expect("tokens that the small model lacks after a rejection", 0, behind(run.after_step(partial).request(kA)));
  kit.ask(
      {.text = std::string(tr("After a round in which every guess was right: how many tokens must the small model "
                              "read before it can guess again?")),
       .choices = {"1", "2", "3"},
       .expected = "2",
       .answer = std::to_string(1 + behind(run.after_step(full).request(kA))),
       .because = std::string(tr("The newest token, as always, and its own last guess. Its cache is one short after "
                                 "a full acceptance. Who forgets that lets it guess from a text with a hole."))});
}

// --- which guesses are right when the target itself is not sure

const RuleProblem& worked_problem() { return rule_problems()[1]; }

std::string row_line(std::string_view what, const Row& row) {
  std::string line = fmt::format("{:<40}", what);
  for (const double number : row) line += fmt::format(" {:>6.3f}", number);
  return line + "\n";
}

/// The verdict over a guess of token 0, when chance says u.
Verdict judge(double u) {
  const Row behind{.25, .25, .25, .25};
  return verify_sampled({{TokenId{0}}, {worked_problem().q}}, std::vector<Row>{worked_problem().p, behind}, Row{u, .5});
}

void the_worked_position(LessonKit& kit) {
  const auto& [title, p, q] = worked_problem();
  kit.say(std::string(
      tr("So far the target always said its likeliest token, and a guess was right when it was that token. When tokens "
         "are drawn, the target has only probabilities, p, and so has the small model, q. Here are four tokens.")));
  kit.show(fmt::format("{:<40} {:>6} {:>6} {:>6} {:>6}\n", tr("token"), 0, 1, 2, 3) +
           row_line(tr("the target's p"), p) + row_line(tr("the draft's q"), q));
  const Verdict accepted = judge(.39), rejected = judge(.55);
  kit.ask({.text = std::string(tr("The rule: accept a guess with probability p / q, and always where p is larger. The "
                                  "draft guessed token 0. With what probability does it pass?")),
           .choices = {"0.20", "0.40", "0.50"},
           .expected = "0.40",
           .answer = fmt::format("{:.2f}", rejected.trials.front().p / rejected.trials.front().q),
           .because = std::string(tr("0.20 / 0.50. The draft says token 0 more often than the target would; so some of "
                                     "these guesses must go."))});
  kit.expect("drafts accepted with u = 0.39", 1, accepted.accepted());
  kit.expect("drafts accepted with u = 0.55", 0, rejected.accepted());
  const Row left = residual(p, q);
  kit.say(
      tr_format("A random number u decides. Here u = {:.2f}, above {:.2f}: rejected. What takes its place is drawn "
                "from what the target still lacks, max(p - q, 0) divided by its sum: the residual distribution.",
                rejected.trials.front().u, rejected.trials.front().p / rejected.trials.front().q));
  const double gone = rejection_probability(p, q);
  Row kept, replaced;
  for (std::size_t i = 0; i < p.size(); ++i) {
    kept.push_back(std::min(p[i], q[i]));
    replaced.push_back(gone * left[i]);
  }
  kit.show(row_line(tr("max(p - q, 0), divided by its sum"), left) + row_line(tr("guessed and accepted"), kept) +
           row_line(tr_format("rejected ({:.2f}), and in its place", gone), replaced));
  kit.expect("thousandths of token 1 in the residual", 667, rounded(1000 * left[1]));
  for (std::size_t i = 0; i < p.size(); ++i) {
    kit.expect("thousandths of p, both ways together", rounded(1000 * p[i]), rounded(1000 * (kept[i] + replaced[i])));
  }
  kit.say(std::string(
      tr("Add the last two lines: the sum is p, token by token. So the answer is distributed as if nobody had guessed, "
         "whatever the draft is like. When all guesses pass, one more token is drawn behind them from the same pass: "
         "the bonus.")));
}

void the_wrong_rule(LessonKit& kit) {
  constexpr std::uint64_t kDraws = 20'000, kSeed = 11;
  const RuleProblem& zoo = rule_problems()[0];
  RuleExperiment right(zoo, Recovery::residual, kSeed), wrong(zoo, Recovery::target, kSeed);
  right.draw_to(kDraws);
  wrong.draw_to(kDraws);
  kit.ask({.text = tr_format(
               "A rule that looks as good: take the place of a rejected guess from p itself. Say p = ({:.1f}, "
               "{:.1f}) and q = ({:.1f}, {:.1f}). Which share of the tokens would then be token 0?",
               zoo.p[0], zoo.p[1], zoo.q[0], zoo.q[1]),
           .choices = {"0.50", "0.70", "0.90"},
           .expected = "0.70",
           .answer = fmt::format("{:.2f}", wrong.shares().front()),
           .because = std::string(tr("Token 0 comes in half of all cases as a guess that passes. In 0.4 of "
                                     "all cases a guess of token 0 is rejected, and p makes half of these token 0 "
                                     "again: 0.5 + 0.2."))});
  kit.show(row_line(tr_format("{} draws, from the residual", kDraws), right.shares()) +
           row_line(tr_format("{} draws, from p: the wrong rule", kDraws), wrong.shares()) +
           row_line(tr("where the wrong rule leads"), wrong.law()));
  kit.say(tr_format("Pearson's chi-square tells them apart: {:.1f} for the right rule, {:.0f} for the wrong one. By "
                    "chance alone it passes {:.1f} once in a thousand times. Such a mistake is hard to see: the wrong "
                    "text reads well, and no single token shows it.",
                    right.fit().statistic, wrong.fit().statistic, right.critical()),
          {tab_point("spec")});
  kit.expect("the right rule passes", 1, right.fits() ? 1 : 0);
  kit.expect("the wrong rule fails", 1, wrong.fits() ? 0 : 1);
}

// --- what it is worth

void what_it_is_worth(LessonKit& kit) {
  constexpr double kAlpha = .8, kCost = .1;
  std::string figure = fmt::format("{:>7} {:>14} {:>9}\n", tr("guesses"), tr("tokens a pass"), tr("speed-up"));
  for (const std::uint32_t k : {1U, 3U, 5U, 8U}) {
    figure +=
        fmt::format("{:>7} {:>14.2f} {:>9.2f}\n", k, expected_tokens(kAlpha, k), expected_speedup(kAlpha, k, kCost));
  }
  kit.say(
      tr_format("How many guesses? If each passes with probability {:.1f}, whatever came before it, k of them give (1 "
                "- {:.1f}^(k+1)) / (1 - "
                "{:.1f}) tokens a pass: the chance that the first passes, and the first two, and so on, and one "
                "token that always comes.",
                kAlpha, kAlpha, kAlpha));
  kit.ask({.text = tr_format("With 3 guesses that is {:.2f} tokens. How many more are 8 guesses worth?",
                             expected_tokens(kAlpha, 3)),
           .choices = {"1.4", "2.9", "5.0"},
           .expected = "1.4",
           .answer = fmt::format("{:.1f}", expected_tokens(kAlpha, 8) - expected_tokens(kAlpha, 3)),
           .because = std::string(tr("The eighth counts only when all seven before it passed."))});
  kit.show(figure);
  kit.expect("a hundred times the tokens of a pass with 5 guesses", 369, rounded(100 * expected_tokens(kAlpha, 5)));
  const Claim tokens = find_claim("F09"), speed = find_claim("F10");
  kit.say(tr_format("A popular guide has {} tokens for 5 guesses and {}; right is {}, and {}.", tokens.popular,
                    speed.popular, tokens.right, speed.right));
  const std::uint32_t best = best_draft_length(kAlpha, kCost, 16);
  kit.expect("the best number of guesses", 6, best);
  kit.say(tr_format("A guess costs too: in the figure {:.1f} of a pass. Then {} guesses are best, {:.2f} times as fast "
                    "as plain decoding. `kvarium speculate` measures it: on a CPU, a pass over several tokens takes "
                    "longer than one over a single token, so less is gained there than on a GPU.",
                    kCost, best, expected_speedup(kAlpha, best, kCost)),
          {tab_point("spec")});
  const SpeculationCounts& counts = kit.world().speculation;
  const auto answer = [](const char* accepted) {
    const ScenarioRun run = run_with("accepted", accepted);
    return run.trace().newest().request(kA).tokens;
  };
  const std::vector<TokenId>& same = kit.world().request(kA).tokens;
  kit.expect("the same answer, whether no guess is right or all are", 1,
             answer("0") == same && answer("5") == same ? 1 : 0);
  kit.say(
      tr_format("And A's answer? {} rounds, {} of {} guesses accepted, {:.2f} tokens a round. The text is the same, "
                "token by token, when no guess is right, or all are.",
                counts.rounds, counts.accepted, counts.drafted, counts.tokens_a_round()),
      {point(kA)});
  kit.say(std::string(
      tr("To remember: a pass over a few tokens costs about as much as one over a single token, where reading is what "
         "takes the time. Guesses fill it; the target keeps what it would have said itself, and a token of its own on "
         "top. Wrong guesses leave stale slots and return whole blocks, in both caches, and nobody else ever sees "
         "them.")));
}

}  // namespace

void speculative_rollback(LessonKit& kit) {
  kit.title(std::string(tr("11 Speculative rollback")));
  the_idea(kit);
  const Scenario& scenario = find_scenario("S06");
  ScenarioRun run(scenario, scenario.defaults);
  the_round(kit, run);
  taking_back(kit);
  the_prefix_cache(kit);
  the_draft_cache(kit);
  run.to_end(kit);
  the_worked_position(kit);
  the_wrong_rule(kit);
  what_it_is_worth(kit);
}

}  // namespace kvarium
