#include "visualizer/commands/eval_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/cost/units.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const std::optional<cpu::Interval>& interval, std::string_view digits) {
  if (!interval) return std::string(tr("one text: none"));
  return fmt::format(fmt::runtime(digits), interval->low, interval->high);
}

std::string in_percent(const cpu::Interval& interval) {
  return fmt::format("{:5.1f} .. {:5.1f} %", 100 * interval.low, 100 * interval.high);
}

std::string surprise_lines(const cpu::MeasuredSurprise& surprise) {
  return tr_format("\nperplexity {:.4f} ({}): {:.4f} nats a token, {} tokens predicted in {} stories\n",
                   surprise.perplexity(), shown(surprise.perplexity_interval(), "{:.4f} .. {:.4f}"), surprise.mean,
                   with_commas(surprise.predicted), surprise.texts);
}

std::string group_line(const cpu::RecitedGroup& group) {
  return tr_format("{:>4} of {:<4} {:5.1f} %  ({})", group.right, group.asked, 100 * group.share(),
                   in_percent(group.interval()));
}

std::string recall_lines(const std::vector<cpu::RecitedGroup>& groups) {
  std::string lines(tr("\nrecall: a code, by the tokens between its statement and the answer\n"));
  for (const cpu::RecitedGroup& group : groups) {
    lines += tr_format("  distance {:>5}  {}", group.group, group_line(group));
    if (group.distance) lines += tr_format("  {:.1f} of this model's tokens", *group.distance);
    lines += "\n";
  }
  return lines;
}

std::string list_lines(const std::vector<cpu::RecitedGroup>& groups) {
  std::string lines(tr("\nrepeat: a whole list, by its items\n"));
  for (const cpu::RecitedGroup& group : groups) {
    lines += tr_format("  items    {:>5}  {}  {} of {} tokens said before the first mistake\n", group.group,
                       group_line(group), with_commas(group.said_tokens), with_commas(group.answer_tokens));
  }
  return lines;
}

std::string acceptance_lines(const cpu::Acceptance& acceptance, const std::string& draft) {
  std::string lines = tr_format(
      "\nacceptance: guesses of {} that are what the model says itself, over the second halves of {} stories\n"
      "  {} of {} guesses  {:.1f} %  ({})\n",
      draft, acceptance.texts, with_commas(acceptance.accepted), with_commas(acceptance.guessed),
      100 * acceptance.share(), in_percent(acceptance.interval));
  for (const cpu::GuessRounds& rounds : acceptance.rounds) {
    if (rounds.rounds == 0) continue;
    lines += tr_format("  {} ahead: {:.3f} accepted a round ({}), {} rounds\n", rounds.guesses, rounds.mean(),
                       shown(rounds.interval, "{:.3f} .. {:.3f}"), with_commas(rounds.rounds));
  }
  return lines;
}

Json pair(const std::optional<cpu::Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json(nullptr);
}

Json surprise_json(const cpu::MeasuredSurprise& surprise) {
  return {{"texts", surprise.texts},
          {"tokens", surprise.predicted},
          {"nats_per_token", surprise.mean},
          {"perplexity", surprise.perplexity()},
          {"interval", pair(surprise.perplexity_interval())}};
}

Json groups_json(const std::vector<cpu::RecitedGroup>& groups, const char* name) {
  Json list = Json::array();
  for (const cpu::RecitedGroup& group : groups) {
    list.push_back({{name, group.group},
                    {"asked", group.asked},
                    {"right", group.right},
                    {"share", group.share()},
                    {"interval", pair(group.interval())},
                    {"answer_tokens", group.answer_tokens},
                    {"said_tokens", group.said_tokens},
                    {"mean_distance", group.distance ? Json(*group.distance) : Json(nullptr)}});
  }
  return list;
}

Json acceptance_json(const cpu::Acceptance& acceptance, const EvalReport& report) {
  Json rounds = Json::array();
  for (const cpu::GuessRounds& of_k : acceptance.rounds) {
    rounds.push_back({{"guesses", of_k.guesses},
                      {"rounds", of_k.rounds},
                      {"accepted", of_k.accepted},
                      {"mean_accepted", of_k.mean()},
                      {"interval", pair(of_k.interval)}});
  }
  return {{"draft", report.draft},
          {"texts", acceptance.texts},
          {"too_long_for_draft", report.too_long_for_draft},
          {"guessed", acceptance.guessed},
          {"accepted", acceptance.accepted},
          {"share", acceptance.share()},
          {"interval", pair(acceptance.interval)},
          {"rounds", std::move(rounds)}};
}

}  // namespace

std::string table(const EvalReport& report) {
  std::string lines = tr_format("{}, cache {}: {} texts of {}\n", report.model, report.cache, report.texts, report.set);
  if (report.too_long > 0) {
    lines += tr_format("{} more texts are longer than the context of {} tokens: left out\n", report.too_long,
                       report.context);
  }
  if (report.too_long_for_draft > 0) {
    lines +=
        tr_format("{} stories are longer than the draft's context: without acceptance\n", report.too_long_for_draft);
  }
  if (report.surprise) lines += surprise_lines(*report.surprise);
  if (!report.recall.empty()) lines += recall_lines(report.recall);
  if (!report.lists.empty()) lines += list_lines(report.lists);
  if (report.acceptance) lines += acceptance_lines(*report.acceptance, report.draft);
  return lines + tr_format(
                     "\nIn brackets what holds the true value in 95 of 100 such measurements: for shares by Wilson's "
                     "interval, for\nperplexity and rounds by how much the stories differ (normal). {:.1f} s\n",
                     report.seconds);
}

std::string json(const EvalReport& report) {
  Json object{{"model", report.model},
              {"cache", report.cache},
              {"set", report.set},
              {"confidence", 0.95},
              {"texts", report.texts},
              {"too_long", report.too_long},
              {"context", report.context},
              {"stories", report.surprise ? surprise_json(*report.surprise) : Json(nullptr)},
              {"recall", groups_json(report.recall, "distance")},
              {"list", groups_json(report.lists, "items")},
              {"acceptance", report.acceptance ? acceptance_json(*report.acceptance, report) : Json(nullptr)},
              {"seconds", report.seconds}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kvarium
