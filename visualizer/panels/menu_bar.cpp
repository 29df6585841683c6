#include "visualizer/panels/menu_bar.h"

#include <utility>

#include "core/words/words.h"

namespace kvarium::ui {
namespace {

void file_menu(PanelContext& context, MenuState& state) {
  if (!begin_menu(context.ui, "menu_file", "File")) return;
  if (menu_item(context.ui, "open_trace", "Open a trace...")) state.dialog.open(PathDialog::For::open_trace, "");
  if (menu_item(context.ui, "open_model", "Open a model...")) context.actions.choose_model();
  const Look save{.enabled = !context.scene.trace().empty(), .reason = "There is no run to save yet"};
  if (menu_item(context.ui, "save_trace", "Save the trace...", false, save))
    state.dialog.open(PathDialog::For::save_trace, "kvarium.trace.jsonl");
  Look picture;
  picture.shortcut = "export";
  if (menu_item(context.ui, "save_picture", "Save the picture...", false, picture))
    state.dialog.open(PathDialog::For::save_picture, "kvarium.png");
  if (menu_item(context.ui, "save_metrics", "Save the metrics...", false, save))
    state.dialog.open(PathDialog::For::save_metrics, "kvarium.csv");
  ImGui::Separator();
  if (menu_item(context.ui, "quit", "Quit")) context.actions.quit();
  end_menu();
}

void run_menu(PanelContext& context) {
  if (!begin_menu(context.ui, "menu_run", "Run")) return;
  Actions& actions = context.actions;
  if (menu_item(context.ui, "run_play", context.scene.playing ? "Pause" : "Play", false, {.shortcut = "play"}))
    actions.toggle_play();
  if (menu_item(context.ui, "run_forward", "One step forward", false, {.shortcut = "step_forward"}))
    actions.step(context.scene.granularity, true);
  if (menu_item(context.ui, "run_back", "One step back", false, {.shortcut = "step_back"}))
    actions.step(context.scene.granularity, false);
  if (menu_item(context.ui, "run_first", "To the start", false, {.shortcut = "first"})) actions.jump(0);
  if (menu_item(context.ui, "run_last", "To the end", false, {.shortcut = "last"}))
    actions.jump(context.scene.trace().size());
  ImGui::Separator();
  if (menu_item(context.ui, "run_again", "Run the scenario again")) actions.run_scenario();
  const Look stop{.enabled = context.scene.running, .reason = "The engine is not at work"};
  if (menu_item(context.ui, "run_cancel", "Stop the engine", false, stop)) actions.cancel_run();
  end_menu();
}

void view_menu(PanelContext& context, MenuState& state) {
  if (!begin_menu(context.ui, "menu_view", "View")) return;
  Actions& actions = context.actions;
  const bool light = context.ui.theme().name == ThemeName::light;
  if (menu_item(context.ui, "view_blocks", "Blocks", false, {.shortcut = "tab_1"})) actions.show_tab(0);
  if (menu_item(context.ui, "view_work", "Work", false, {.shortcut = "tab_2"})) actions.show_tab(1);
  if (menu_item(context.ui, "view_radix", "Radix", false, {.shortcut = "tab_3"})) actions.show_tab(2);
  if (menu_item(context.ui, "view_metrics", "Metrics", false, {.shortcut = "tab_4"})) actions.show_tab(3);
  if (menu_item(context.ui, "view_attention", "Attention", false, {.shortcut = "tab_5"})) actions.show_tab(4);
  if (menu_item(context.ui, "view_heads", "Heads", false, {.shortcut = "tab_6"})) actions.show_tab(5);
  if (menu_item(context.ui, "view_roofline", "Roofline", false, {.shortcut = "tab_7"})) actions.show_tab(6);
  if (menu_item(context.ui, "view_kernel", "Kernel", false, {.shortcut = "tab_8"})) actions.show_tab(7);
  if (menu_item(context.ui, "view_spec", "Spec", false, {.shortcut = "tab_9"})) actions.show_tab(8);
  ImGui::Separator();
  if (menu_item(context.ui, "view_light", "Light theme", light, {.shortcut = "theme"})) actions.toggle_theme();
  if (menu_item(context.ui, "view_motion", "Less motion", context.scene.reduce_motion, {.shortcut = "reduce_motion"}))
    actions.toggle_motion();
  if (menu_item(context.ui, "view_larger", "Larger", false, {.shortcut = "larger"})) actions.zoom(1.25F);
  if (menu_item(context.ui, "view_smaller", "Smaller", false, {.shortcut = "smaller"})) actions.zoom(0.8F);
  if (menu_item(context.ui, "view_100", "100 %")) actions.zoom(1);
  if (menu_item(context.ui, "view_go_to", "Go to...", false, {.shortcut = "go_to"}))
    state.dialog.open(PathDialog::For::go_to, "");
  if (menu_item(context.ui, "view_drawer", "Show or hide the right side", false, {.shortcut = "drawer"}))
    actions.toggle_drawer();
  end_menu();
}

void lesson_menu(PanelContext& context, const MenuState& state) {
  if (!begin_menu(context.ui, "menu_lesson", "Lesson")) return;
  for (const LessonEntry& lesson : state.lessons) {
    if (menu_item(context.ui, "lesson/" + lesson.id, lesson.title)) context.actions.open_lesson(lesson.id);
  }
  end_menu();
}

void help_menu(PanelContext& context) {
  if (!begin_menu(context.ui, "menu_help", "Help")) return;
  if (menu_item(context.ui, "help_keys", "All keys", false, {.shortcut = "keys"})) context.actions.toggle_keys();
  end_menu();
}

std::string_view question_of(PathDialog::For what) {
  switch (what) {
    case PathDialog::For::open_trace:
      return tr("Which trace? (a .jsonl file that kvarium wrote)");
    case PathDialog::For::save_trace:
      return tr("Save the trace as");
    case PathDialog::For::save_picture:
      return tr("Save the picture as (PNG)");
    case PathDialog::For::save_metrics:
      return tr(
          "Save the metrics as (.csv a row a step, .requests.csv a row a request, .prom for Prometheus, else text)");
    case PathDialog::For::go_to:
      return tr("Go to: b12 (block), t13 (position of the selected request), s37 (step), rA (request)");
    case PathDialog::For::nothing:
      break;
  }
  return "";
}

void carry_out(PanelContext& context, const PathDialog& dialog) {
  switch (dialog.what) {
    case PathDialog::For::open_trace:
      return context.actions.open_trace(dialog.path);
    case PathDialog::For::save_trace:
      return context.actions.save_trace(dialog.path);
    case PathDialog::For::save_picture:
      return context.actions.save_picture(dialog.path);
    case PathDialog::For::save_metrics:
      return context.actions.save_metrics(dialog.path);
    case PathDialog::For::go_to:
      return context.actions.go_to(dialog.path);
    case PathDialog::For::nothing:
      return;
  }
}

}  // namespace

void draw_menu_bar(PanelContext& context, MenuState& state, const layout::Rect& dock) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  begin_panel(context.ui, "menu", "", {dock.x, dock.y}, {dock.right(), dock.bottom()},
              ImGuiWindowFlags_MenuBar | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar(3);
  if (ImGui::BeginMenuBar()) {
    file_menu(context, state);
    run_menu(context);
    view_menu(context, state);
    lesson_menu(context, state);
    help_menu(context);
    ImGui::EndMenuBar();
  }
  end_panel();
}

void draw_path_dialog(PanelContext& context, MenuState& state) {
  if (state.dialog.what == PathDialog::For::nothing) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 3}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({context.px(520), 0});
  if (state.dialog.just_opened) ImGui::SetNextWindowFocus();
  ImGui::Begin("###path_dialog", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_AlwaysAutoResize);
  text(context.ui, "path_question", question_of(state.dialog.what));
  input_text(context.ui, "path", "", state.dialog.path, "a path", std::exchange(state.dialog.just_opened, false));
  const bool entered = ImGui::IsItemDeactivated() && compat::enter_pressed() && !state.dialog.path.empty();
  const Look ok{.enabled = !state.dialog.path.empty(), .reason = "Type a path first", .primary = true};
  const bool done = button(context.ui, "path_ok", "OK", ok) || entered;
  ImGui::SameLine();
  const bool left = button(context.ui, "path_cancel", "Cancel");
  ImGui::End();
  if (done) carry_out(context, state.dialog);
  if (done || left) state.dialog.what = PathDialog::For::nothing;
}

}  // namespace kvarium::ui
