#pragma once
// The parts of the Spec tab; see spec_panel.h.

#include <string>
#include <string_view>

#include "core/metrics/speculation_report.h"
#include "visualizer/draw/cell.h"
#include "visualizer/layout/cache_strip.h"
#include "visualizer/panels/spec_panel.h"

namespace kvarium::ui {

/// What each part is given.
struct SpecView {
  PanelContext& context;
  SpecPanelState& state;

  const World& world() const { return context.scene.world(); }
  const Theme& theme() const { return context.ui.theme(); }
  float px(float logical) const { return context.px(logical); }
};

/// A sign for each fate, so that none is told by colour alone; its word is fate_name().
std::string_view fate_sign(DraftFate fate);
/// A token's place in a cache, in its owner's colour: solid where it counts, half and dotted with "?" while it is to be
/// judged, cross-hatched with "x" where it was taken back.
void draw_cached(Painter& painter, const layout::Rect& cell, RequestId owner, layout::CachedState state,
                 std::string_view text);
/// A title in the current window.
void spec_title(SpecView& view, std::string_view id, std::string_view words);

/// The request whose caches are shown: the selected one, else that of the newest round, else the first that runs.
const RequestState* shown_request(const SpecPanelState& state, const World& now, const Target& selected);
/// Its strip of at most `most` positions.
layout::CacheStrip strip_of(const SpecPanelState& state, const World& now, const RequestState& request,
                            std::size_t most);
/// One line for each cache.
std::string caches_text(const World& now, const RequestState& request, const layout::CacheStrip& strip);

/// One row a round, newest first, in a child window that scrolls.
void draw_rounds(SpecView& view, float width, float height);
void draw_caches(SpecView& view, float width, float height);
/// Sentences, the histogram, speed-up by length.
void draw_worth(SpecView& view);
/// The two rules.
void draw_rules(SpecView& view);

}  // namespace kvarium::ui
