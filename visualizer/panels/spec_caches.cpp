// The end of a request's K and V in both caches, one below the other, at the same positions.

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "visualizer/panels/spec_view.h"

namespace kvarium::ui {
namespace {

using layout::CachedState;
using layout::CacheStrip;
using layout::Rect;

constexpr float kNames = 50, kLeastCell = 17, kMostCell = 40, kBlockGap = 3;  // logical pixels

const RoundRecord* round_of(const SpecPanelState& state, const World& now, RequestId id) {
  for (std::size_t i = state.rounds.size(); i-- > 0 && state.rounds[i].step == now.step;) {
    if (state.rounds[i].request == id) return &state.rounds[i];
  }
  return nullptr;
}

/// The token of a position: the request's, or the guess that stands there in this step.
std::string token_at(const World& now, const RequestState& request, std::uint64_t position) {
  const auto& round = request.round;
  if (round && position >= round->first && position < round->end()) {
    auto draft = static_cast<std::size_t>(position - round->first);
    if (round->path_moved && draft < round->accepted()) draft = round->path()[draft] - 1;
    return now.text_of(round->tokens[draft]);
  }
  return position < request.tokens.size() ? now.text_of(request.tokens[position]) : std::string();
}

std::size_t count(const std::vector<CachedState>& states, CachedState which) {
  return static_cast<std::size_t>(std::count(states.begin(), states.end(), which));
}

std::string target_words(const RequestState& request, const CacheStrip& strip) {
  std::string words =
      tr_format("the target: K and V of {} of {} tokens", request.computed_tokens, request.tokens.size());
  const std::size_t waiting = count(strip.target, CachedState::draft), stale = count(strip.target, CachedState::stale);
  if (waiting > 0) words += ", " + tr_format("{} to be judged", waiting);
  if (stale > 0) words += ", " + tr_format("{} slots stale", stale);
  return words;
}

std::string draft_words(const RequestState& request, const CacheStrip& strip) {
  const std::size_t stale = count(strip.draft, CachedState::stale);
  if (request.draft_cached == 0 && stale == 0) return std::string(tr("who guesses here keeps no cache of its own"));
  std::string words = tr_format("the draft model: K and V of {} tokens", request.draft_cached);
  const std::size_t missing = count(strip.draft, CachedState::missing);
  if (missing > 0) words += ", " + tr_format("{} to be read next", missing);
  if (stale > 0) words += ", " + tr_format("{} slots stale", stale);
  return words;
}

/// Where the cells of a strip are drawn.
struct StripPlace {
  float left = 0, cell = 0, gap = 0;  ///< pixels
  const CacheStrip& strip;

  Rect of(std::size_t i, float y, float height) const {
    std::size_t block = 0;
    while (block + 1 < strip.blocks.size() && strip.blocks[block + 1].first <= i) ++block;
    return {left + cell * static_cast<float>(i) + gap * static_cast<float>(block), y, cell, height};
  }
};

void draw_blocks(Painter& painter, const StripPlace& place, const Rect& line) {
  const Theme& theme = painter.theme();
  for (const layout::StripBlock& block : place.strip.blocks) {
    const Rect first = place.of(block.first, line.y, line.height);
    const Rect last = place.of(block.first + block.count - 1, line.y, line.height);
    const Rect whole{first.x, line.y, last.right() - first.x, line.height};
    const std::string words = block.returned ? tr_format("{} returned", block.block) : std::to_string(block.block);
    painter.text(whole, words, block.returned ? theme.warning : theme.text, FontRole::small, Align::centre);
  }
}

void draw_cells(SpecView& view, Painter& painter, const StripPlace& place, const RequestState& request,
                const std::vector<CachedState>& states, const Rect& line) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Rect cell = place.of(i, line.y, line.height);
    const std::string text = states[i] == CachedState::valid || states[i] == CachedState::draft
                                 ? token_at(view.world(), request, place.strip.first + i)
                                 : std::string();
    draw_cached(painter, cell, request.id, states[i], text);
  }
  for (const layout::StripBlock& block : place.strip.blocks) {
    if (&states != &place.strip.target || !block.returned) continue;
    const Rect first = place.of(block.first, line.y, line.height);
    const Rect last = place.of(block.first + block.count - 1, line.y, line.height);
    const Rect whole{first.x, line.y, last.right() - first.x, line.height};
    painter.dashed(whole, painter.theme().warning, 4, 3, 0, 1.5F);
  }
}

}  // namespace

const RequestState* shown_request(const SpecPanelState& state, const World& now, const Target& selected) {
  if (const auto id = resolve(now, selected).request) return &now.request(*id);
  if (!state.rounds.empty()) return &now.request(state.rounds[state.rounds.size() - 1].request);
  for (const auto& request : now.requests) {
    if (request->status == RequestStatus::running) return &*request;
  }
  return nullptr;
}

CacheStrip strip_of(const SpecPanelState& state, const World& now, const RequestState& request, std::size_t most) {
  return layout::cache_strip(now, request, round_of(state, now, request.id), std::max<std::size_t>(1, most));
}

std::string caches_text(const World& now, const RequestState& request, const CacheStrip& strip) {
  std::string text = tr_format("caches of request {}, from position {} on\n", letter(request.id), strip.first);
  text += "  " + layout::target_notation(strip) + "  " + target_words(request, strip) + "\n";
  const std::string draft = layout::draft_notation(strip);
  if (now.proposer.empty()) return text;
  return text + "  " + draft + (draft.empty() ? "" : "  ") + draft_words(request, strip) + "\n";
}

void draw_caches(SpecView& view, float width, float height) {
  PanelContext& context = view.context;
  const Canvas canvas = kvarium::ui::canvas(context.ui, "spec_caches", {width, height});
  Painter painter(*canvas.list, context.ui);
  Rect rest = layout_rect(canvas);
  const RequestState* request = shown_request(view.state, view.world(), context.selection.selected);
  if (request == nullptr) return;
  Rect title = layout::cut_top(rest, view.px(20));
  painter.text(title, tr_format("Both caches of {} now", letter(request->id)), view.theme().text, FontRole::strong);
  Rect words = layout::cut_bottom(rest, view.px(32));
  const Rect names = layout::cut_left(rest, view.px(kNames));
  const auto most = static_cast<std::size_t>(std::max(1.0F, rest.width / view.px(kLeastCell)));
  const CacheStrip strip = strip_of(view.state, view.world(), *request, most);
  const float gaps = view.px(kBlockGap) * static_cast<float>(strip.blocks.size());
  const float cell = std::min(view.px(kMostCell),
                              (rest.width - gaps) / static_cast<float>(std::max<std::size_t>(1, strip.target.size())));
  const StripPlace place{rest.x, cell, view.px(kBlockGap), strip};
  draw_blocks(painter, place, layout::cut_top(rest, view.px(15)));
  const float row = std::min(view.px(28), rest.height / 2 - view.px(2));
  const Rect target = layout::cut_top(rest, row);
  layout::cut_top(rest, view.px(3));
  const Rect draft = layout::cut_top(rest, row);
  painter.text({names.x, target.y, names.width, row}, tr("target"), view.theme().dim, FontRole::small);
  painter.text({names.x, draft.y, names.width, row}, tr("draft"), view.theme().dim, FontRole::small);
  draw_cells(view, painter, place, *request, strip.target, target);
  draw_cells(view, painter, place, *request, strip.draft, draft);
  const std::string of_target = target_words(*request, strip), of_draft = draft_words(*request, strip);
  painter.text(layout::cut_top(words, view.px(16)), of_target, view.theme().text, FontRole::small);
  painter.text(words, of_draft, view.theme().dim, FontRole::small);
  context.ui.registry.add_rect("spec_target", "figure", of_target, layout::target_notation(strip), canvas.id,
                               screen_rect(target));
  context.ui.registry.add_rect("spec_draft", "figure", of_draft, layout::draft_notation(strip), canvas.id,
                               screen_rect(draft));
}

}  // namespace kvarium::ui
