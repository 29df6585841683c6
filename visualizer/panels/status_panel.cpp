#include "visualizer/panels/status_panel.h"

#include <fmt/format.h>

#include "core/cost/units.h"
#include "core/trace/invariants.h"
#include "core/words/words.h"

namespace kvarium::ui {
namespace {

void part(PanelContext& context, std::string_view id, const std::string& words, Colour colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  text(context.ui, id, words);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, context.px(22));
}

void draw_invariants(PanelContext& context) {
  const Scene& scene = context.scene;
  const Theme& theme = context.ui.theme();
  if (scene.violations.empty()) {
    return part(context, "invariants", tr_format("invariants {}/{} ok", kInvariantCount, kInvariantCount), theme.good);
  }
  part(context, "invariants",
       tr_format("! invariants {}/{}: {}", scene.invariants_that_hold, kInvariantCount, scene.violations.front()),
       theme.bad);
}

/// What the prefix cache was good for, and what it cost others.
void draw_prefix(PanelContext& context) {
  const World& world = context.scene.world();
  const Theme& theme = context.ui.theme();
  if (context.scene.picture.cached > 0)
    part(context, "cached", tr_format("cached {}", context.scene.picture.cached), theme.text);
  const PrefixCounts& prefix = world.prefix;
  if (prefix.queried_tokens > 0) {
    const double share = static_cast<double>(prefix.hit_tokens) / static_cast<double>(prefix.queried_tokens);
    part(context, "hit_rate",
         tr_format("hits {}/{} tokens ({:.1f} %)", with_commas(prefix.hit_tokens), with_commas(prefix.queried_tokens),
                   100 * share),
         theme.text);
  }
  if (world.evicted_blocks > 0)
    part(context, "evictions", tr_format("evicted {} blocks", with_commas(world.evicted_blocks)), theme.text);
  if (world.copies.blocks > 0)
    part(context, "copies", tr_format("copied {} blocks", with_commas(world.copies.blocks)), theme.text);
}

}  // namespace

void draw_status_panel(PanelContext& context, const layout::Rect& dock) {
  const Scene& scene = context.scene;
  const Theme& theme = context.ui.theme();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {context.px(12), context.px(3)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.background);
  const WithFont small(context.ui.fonts(), FontRole::small);
  begin_panel(context.ui, "status", "", {dock.x, dock.y}, {dock.right(), dock.bottom()}, ImGuiWindowFlags_NoScrollbar);
  draw_invariants(context);
  const layout::PoolPicture& picture = scene.picture;
  if (!picture.blocks.empty()) {
    part(context, "pool_used", tr_format("pool {}/{} blocks", picture.used, picture.blocks.size()), theme.text);
    part(context, "waste", tr_format("empty slots {:.1f} %", 100 * picture.waste()), theme.text);
  }
  draw_prefix(context);
  const Work& work = scene.world().work;
  if (work.kv_projections > 0) {
    part(context, "work_counts",
         tr_format("K/V computed {} · scores {}", with_commas(work.kv_projections), with_commas(work.score_products)),
         theme.dim);
  }
  if (scene.world().nanoseconds > 0) {
    const std::string time = duration(static_cast<double>(scene.world().nanoseconds) * 1e-9);
    part(context, "time", scene.world().simulated_time ? tr_format("{} (simulated)", time) : time, theme.dim);
  }
  const ModelShape& model = scene.world().model;
  if (model.layers > 0) {
    part(context, "model", model.name, theme.dim);
    tooltip(context.ui, tr_format("The model: {} layers, {} query heads, {} KV heads of {} channels, {} tokens known",
                                  model.layers, model.query_heads, model.kv_heads, model.head_dim, model.vocab));
  }
  part(context, "fps", tr_format("{:.0f} frames/s", ImGui::GetIO().Framerate), theme.dim);
  end_panel();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace kvarium::ui
