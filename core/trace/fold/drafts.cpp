// Tokens are guessed ahead, judged, and taken back.

#include <algorithm>
#include <utility>

#include "core/trace/fold/folder.h"

namespace kvarium {
namespace {

void must_be_probability(double number, const char* what) {
  if (!(number >= 0 && number <= 1)) cannot_follow(std::string(what) + " that is no probability");
}

void must_be_tree(const DraftProposed& e) {
  if (e.parents.empty()) return;
  if (e.parents.size() != e.tokens.size() + 1 || !is_tree(e.parents)) cannot_follow("drafts whose parents are no tree");
  if (!siblings_differ(e.parents, e.tokens)) cannot_follow("a tree with the same draft twice at one place");
}

/// The drafts that may come behind those that were accepted.
std::vector<std::uint32_t> drafts_behind(const DraftRound& round) {
  const std::uint32_t last = round.accepted() == 0 ? 0 : round.trials[round.accepted() - 1].node;
  std::vector<std::uint32_t> drafts;
  for (std::uint32_t node = last + 1; node <= round.tokens.size(); ++node) {
    if (round.parent(node) == last) drafts.push_back(node);
  }
  return drafts;
}

}  // namespace

const DraftRound& Folder::round_at(RequestId id, std::uint32_t position) const {
  const std::optional<DraftRound>& round = look(id).round;
  if (!round || round->next) cannot_follow("request " + letter(id) + " has no drafts to judge");
  if (position != round->first + round->accepted()) cannot_follow("the position of the draft or of what follows it");
  return *round;
}

/// The round is over.
void Folder::conclude_round(RequestId id, std::uint32_t position, TokenId token, double probability) {
  must_be_probability(probability, "a token with a share");
  const std::size_t accepted = round_at(id, position).accepted();
  DraftRound& round = *edit(id).round;
  round.next = token;
  round.next_probability = probability;
  SpeculationCounts& counts = world_.speculation;
  ++counts.rounds;
  counts.drafted += round.tokens.size();
  counts.accepted += accepted;
  if (counts.with_accepted.size() <= accepted) counts.with_accepted.resize(accepted + 1, 0);
  ++counts.with_accepted[accepted];
}

void Folder::operator()(const SpeculationDescribed& e) {
  world_.proposer = e.proposer;
  world_.most_drafts = e.most;
}

void Folder::operator()(const DraftProposed& e) {
  must_run(e.request);
  if (e.tokens.empty() || e.tokens.size() != e.q.size()) cannot_follow("drafts without a probability each");
  for (const double q : e.q) must_be_probability(q, "a draft");
  const RequestState& before = look(e.request);
  if (before.round) cannot_follow("request " + letter(e.request) + " has drafts in this step already");
  if (e.position != before.tokens.size()) cannot_follow("the position of the first draft");
  must_be_tree(e);
  if (!adds_up(world_.speculation.work, e.work)) cannot_follow("the proposer's work does not fit in 64 bits");
  edit_in_step(e.request).round = DraftRound{e.position, e.tokens, e.q, e.parents, {}, std::nullopt, 0, false, true};
  world_.speculation.work += e.work;
}

void Folder::operator()(const DraftKvComputed& e) {
  const std::uint64_t end = std::uint64_t{e.first} + e.count;
  if (e.first > look(e.request).draft_cached) cannot_follow("the draft model writes K and V behind a gap");
  if (e.count == 0 || end > UINT32_MAX) cannot_follow("the draft model writes K and V of no position, or of too many");
  edit(e.request).draft_cached = static_cast<std::uint32_t>(end);
}

void Folder::operator()(const DraftKvRolledBack& e) {
  if (e.kept_tokens > look(e.request).draft_cached) cannot_follow("the draft model keeps more tokens than it has");
  edit(e.request).draft_cached = e.kept_tokens;
}

void Folder::operator()(const DraftVerified& e) {
  const DraftRound& before = round_at(e.request, e.position);
  const std::vector<std::uint32_t> drafts = drafts_behind(before);
  if (before.rejected() || drafts.empty()) cannot_follow("no draft is left to judge");
  const auto draft = std::find_if(drafts.begin(), drafts.end(),
                                  [&](std::uint32_t node) { return before.tokens[node - 1] == e.token; });
  if (draft == drafts.end()) cannot_follow("another token is judged than was drafted");
  must_be_probability(e.p, "a draft");
  must_be_probability(e.u, "a random number");
  edit(e.request).round->trials.push_back({*draft, e.p, e.u, e.accepted});
}

void Folder::operator()(const DraftPathMoved& e) {
  const std::optional<DraftRound>& round = look(e.request).round;
  if (!round || !round->next || round->path() != e.path) cannot_follow("another path is kept than was accepted");
  edit(e.request).round->path_moved = true;
}

void Folder::operator()(const TokenRecovered& e) {
  if (!round_at(e.request, e.position).rejected()) cannot_follow("a token takes the place of no rejected draft");
  conclude_round(e.request, e.position, e.token, e.probability);
}

void Folder::operator()(const BonusSampled& e) {
  const DraftRound& round = round_at(e.request, e.position);
  if (round.rejected() || !drafts_behind(round).empty())
    cannot_follow("a bonus token, though not every draft was accepted");
  conclude_round(e.request, e.position, e.token, e.probability);
}

}  // namespace kvarium
