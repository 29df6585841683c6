// The keyboard: what each key of the table does.

#include <fmt/format.h>

#include <utility>

#include "core/words/words.h"
#include "visualizer/app/app.h"

namespace kvarium::ui {

void App::register_shortcuts(Ui& ui) {
  register_time_shortcuts(ui.shortcuts);
  register_view_shortcuts(ui);
  register_attention_shortcuts(ui.shortcuts);
}

/// Steps in time are those of the kernel while its tab is in front.
void App::register_step(Shortcuts& keys, std::string_view id, std::function<void(KernelPanelState&)> of_kernel,
                        std::function<void()> of_run) {
  keys.on(id, [this, of_kernel = std::move(of_kernel), of_run = std::move(of_run)] {
    tab_ == kKernelTab && !compare_.open ? of_kernel(kernel_) : of_run();
  });
}

void App::register_time_shortcuts(Shortcuts& keys) {
  keys.on("play", [this] { toggle_play(); });
  using Kernel = KernelPanelState;
  register_step(
      keys, "step_forward", [](Kernel& kernel) { kernel.step(true); }, [this] { step(playback_.granularity, true); });
  register_step(
      keys, "step_back", [](Kernel& kernel) { kernel.step(false); }, [this] { step(playback_.granularity, false); });
  register_step(
      keys, "first", [](Kernel& kernel) { kernel.restart(); }, [this] { jump(0); });
  register_step(
      keys, "last", [](Kernel& kernel) { kernel.to_end(); }, [this] { jump(run_->trace.size()); });
  keys.on("kernel_size", [this] { kernel_.next_size(); });
  keys.on("spec_text", [this] {
    if (tab_ == kSpecTab) spec_.as_text = !spec_.as_text;
  });
  keys.on("engine_step_forward", [this] { step(Granularity::step, true); });
  keys.on("engine_step_back", [this] { step(Granularity::step, false); });
  keys.on("next_mark", [this] { step_mark(true); });
  keys.on("previous_mark", [this] { step_mark(false); });
  keys.on("slower", [this] { playback_.slower(); });
  keys.on("faster", [this] { playback_.faster(); });
  keys.on("pan_left", [this] { timeline_.pan(-0.25, run_->trace); });
  keys.on("pan_right", [this] { timeline_.pan(0.25, run_->trace); });
  keys.on("zoom_in", [this] { timeline_.zoom(0.7, run_->trace); });
  keys.on("zoom_out", [this] { timeline_.zoom(1.4, run_->trace); });
  keys.on("zoom_fit", [this] {
    timeline_.fit();
    radix_.fit();
    attention_.look = {};
  });
  keys.on("zoom_100", [this] { radix_.actual_size(); });
}

void App::register_attention_shortcuts(Shortcuts& keys) {
  const auto on = [&](std::string_view id, auto action) {
    keys.on(id, [this, action] {
      if (tab_ == kAttentionTab) action(attention_, run_->player.world().model);
    });
  };
  using State = AttentionPanelState;
  on("layer_previous", [](State& state, const ModelShape& shape) { state.move_layer(shape, -1); });
  on("layer_next", [](State& state, const ModelShape& shape) { state.move_layer(shape, 1); });
  on("head_previous", [](State& state, const ModelShape& shape) { state.move_head(shape, -1); });
  on("head_next", [](State& state, const ModelShape& shape) { state.move_head(shape, 1); });
  on("attention_view", [](State& state, const ModelShape&) { state.change_view(); });
  on("map_larger", [](State& state, const ModelShape&) { state.zoom(1.25F); });
  on("map_smaller", [](State& state, const ModelShape&) { state.zoom(0.8F); });
  on("cell_up", [](State& state, const ModelShape&) { state.move_cursor(-1, 0); });
  on("cell_down", [](State& state, const ModelShape&) { state.move_cursor(1, 0); });
  on("cell_left", [](State& state, const ModelShape&) { state.move_cursor(0, -1); });
  on("cell_right", [](State& state, const ModelShape&) { state.move_cursor(0, 1); });
}

void App::register_view_shortcuts(Ui& ui) {
  Shortcuts& keys = ui.shortcuts;
  for (std::size_t i = 0; i < std::size(kCentreTabs); ++i) {
    keys.on(kCentreTabs[i].key, [this, i] { show_tab(static_cast<int>(i)); });
  }
  keys.on("compare", [this] { later([this] { toggle_compare(); }); });
  keys.on("why", [this] {
    drawer_ = true;
    inspector_.select_tab = "tab_why";
  });
  const auto search = [this] {
    drawer_ = true;
    inspector_.select_tab = "tab_log";
    inspector_.log.focus_search = true;
  };
  keys.on("search", search);
  keys.on("find", search);
  keys.on("go_to", [this] { menu_.dialog.open(PathDialog::For::go_to, ""); });
  register_step(
      keys, "select_up", [](KernelPanelState& kernel) { kernel.move_thread(-1); },
      [this] { tab_ == kRadixTab ? select_in_tree(TreeMove::previous) : select_request(-1); });
  register_step(
      keys, "select_down", [](KernelPanelState& kernel) { kernel.move_thread(1); },
      [this] { tab_ == kRadixTab ? select_in_tree(TreeMove::next) : select_request(1); });
  keys.on("select_parent", [this] { select_in_tree(TreeMove::parent); });
  keys.on("select_child", [this] { select_in_tree(TreeMove::child); });
  keys.on("theme", [this] { toggle_theme(); });
  keys.on("larger", [this] { zoom(1.25F); });
  keys.on("smaller", [this] { zoom(0.8F); });
  keys.on("reduce_motion", [this] { toggle_motion(); });
  keys.on("keys", [this] { toggle_keys(); });
  keys.on("drawer", [this] { toggle_drawer(); });
  keys.on("export", [this] { menu_.dialog.open(PathDialog::For::save_picture, "kvarium.png"); });
  keys.on("share", [this] {
    if (form_.chosen.empty()) return say(std::string(tr("Only scenarios can be shared as a line of text.")), true);
    std::string line = "kvarium view --scenario " + form_.chosen;
    for (const FormField& field : form_.fields) {
      if (!field.changed()) continue;
      const std::string value = field.kind == FormField::Kind::number
                                    ? fmt::format("{:.6g}", static_cast<double>(field.unit) * field.number)
                                    : field.text;
      line += fmt::format(" --set \"{}={}\"", field.id, value);
    }
    copy(line + fmt::format(" --step {} --screenshot picture.png", run_->player.world().step));
  });
  keys.on("leave", [this] {
    if (keys_)
      keys_ = false;
    else if (model_dialog_.open)
      model_dialog_.open = false;
    else if (menu_.dialog.what != PathDialog::For::nothing)
      menu_.dialog.what = PathDialog::For::nothing;
    else if (!toast_.words.empty())
      toast_.words.clear();
    else if (compare_.open)
      compare_.open = false;
    else if (tab_ == kAttentionTab && attention_.cursor)
      attention_.cursor.reset();
    else if (blocks_.isolated)
      blocks_.isolated.reset();
    else
      selection_.selected = {};
  });
}

}  // namespace kvarium::ui
