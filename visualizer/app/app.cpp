#include "visualizer/app/app.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"
#include "lessons/kit/lesson.h"
#include "lessons/scenarios/model_choice.h"
#include "visualizer/panels/requests_panel.h"
#include "visualizer/panels/status_panel.h"
#include "visualizer/panels/transport_panel.h"
#include "visualizer/panels/work_panel.h"

namespace kvarium::ui {
namespace {

constexpr double kHintSeconds = 12;
constexpr float kLessonShare = 0.62F;  // of the right dock: words need room

}  // namespace

App::App(Host& host) : host_(host) {
  for (const Lesson& lesson : lessons()) menu_.lessons.push_back({lesson.id, lesson.title});
  register_shortcuts(host.ui());
  host.set_draw([this](Ui& ui) { draw(ui); });
}

App::~App() { host_.set_draw({}); }

/// Everything that a frame shows is settled here; drawing changes nothing but the panels' own state.
void App::update(Ui& ui) {
  const double passed = std::min(0.1, static_cast<double>(ImGui::GetIO().DeltaTime));  // after a sleep: go on gently
  seconds_ += passed;
  for (const std::function<void()>& action : std::exchange(queued_, {})) action();
  take_opened();
  take_events();
  const bool was_playing = playback_.playing;
  playback_.advance(passed, run_->player, session_.running());
  follow_player(false);
  take_compared();
  ask_probe();
  take_measured();
  if (hint_ && (seconds_ > kHintSeconds || ImGui::IsMouseClicked(ImGuiMouseButton_Left))) hint_ = false;
  const bool moves = was_playing || playback_.playing || session_.running() || comparison_.running() ||
                     probes_.working() || loader_.running() || roofline_.measuring || hint_ ||
                     moment_.tween.running(seconds_);
  if (moves) ui.keep_moving();
}

void App::take_events() {
  if (session_.take(batch_)) {
    try {
      for (Event& event : batch_) run_->trace.emit(std::move(event));
    } catch (const MisuseError& error) {
      session_.cancel();
      say(error.what(), true);
    }
    run_->timeline.follow(run_->trace);
  }
  if (const std::optional<std::string> error = session_.take_error()) {
    form_.error = *error;
    say(*error, true);
  }
  if (play_when_events_come_ && !run_->trace.empty()) {
    play_when_events_come_ = false;
    playback_.playing = true;
  }
}

void App::take_compared() {
  try {
    const std::optional<std::string> error = comparison_.update(run_->player);
    if (error) compare_.error = *error;
  } catch (const MisuseError& error) {
    comparison_.forget();
    compare_.error = error.what();
  }
}

/// The window goes on while the machine is measured.
void App::take_measured() {
  if (!measured_.valid() || measured_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  roofline_.measuring = false;
  try {
    roofline_.machine = measured_.get();
    roofline_.hardware = static_cast<int>(hardware_profiles().size());
  } catch (const std::exception& error) {
    say(tr_format("This machine could not be measured: {}", error.what()), true);
  }
}

void App::follow_player(bool stepping) {
  const std::size_t violations = moment_.violations.size();
  const double seconds = change_seconds(playback_.speed, stepping, reduce_motion_);
  if (!moment_.follow(run_->player, playback_.granularity, seconds_, seconds)) return;
  show_what_is_meant();
  if (moment_.violations.size() <= violations) return;
  playback_.pause();
  say(moment_.violations.front(), true);
}

/// Words that point at a tab, or at a node of the tree, bring it to the front; at a step of a kernel, go there.
void App::show_what_is_meant() {
  const Event* last = run_->player.last_event();
  const Said* said = last == nullptr ? nullptr : std::get_if<Said>(last);
  if (said == nullptr) return;
  for (const std::string& point : said->points) {
    for (std::size_t tab = 0; tab < std::size(kCentreTabs); ++tab) {
      if (point == "tab:" + std::string(kCentreTabs[tab].name)) tab_ = static_cast<int>(tab);
    }
    if (const auto step = cuda::demos::parse_step_point(point)) {
      kernel_.show(step->place);
      kernel_.go_to(step->size, step->steps);
    }
    const auto target = parse_target(point);
    if (target && target->kind == Target::Kind::node) tab_ = kRadixTab;
  }
}

/// The change is drawn from where the picture was, however fast playing is.
void App::move(const std::function<void()>& change) {
  playback_.pause();
  hint_ = false;
  change();
  follow_player(true);
}

Scene App::scene() const {
  Scene scene{.player = run_->player,
              .timeline = run_->timeline,
              .picture = moment_.picture,
              .before = moment_.before,
              .tables_before = moment_.tables_before,
              .violations = moment_.violations};
  scene.invariants_that_hold = moment_.invariants_that_hold;
  scene.change = ease_in_out(moment_.tween.progress(seconds_));
  if (moment_.has_step_start) scene.step_start = &moment_.step_start;
  scene.title = title_;
  scene.summary = summary_;
  if (used_ != nullptr) scene.model_facts = used_->facts;
  scene.playing = playback_.playing;
  scene.running = session_.running();
  scene.speed = playback_.speed;
  scene.granularity = playback_.granularity;
  scene.reduce_motion = reduce_motion_;
  scene.now = moment_.now;
  scene.seconds = seconds_;
  if (run_->player.world().said) {
    for (const std::string& point : run_->player.world().said->points) {
      if (const auto target = parse_target(point)) scene.pointed.push_back(*target);
    }
  }
  return scene;
}

void App::draw(Ui& ui) {
  update(ui);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  layout::DockSizes sizes = docks_;
  if (!run_->player.world().lesson_title.empty()) sizes.guide_share = std::max(sizes.guide_share, kLessonShare);
  const layout::FrameLayout frame = layout::frame_layout(size.x, size.y, ui.scale(), sizes, drawer_);
  const Scene now = scene();
  selection_.hovered = {};
  PanelContext context{ui, now, selection_, *this};
  draw_docks(ui, context, frame);
  draw_path_dialog(context, menu_);
  draw_model_dialog(context, model_dialog_);
  draw_keys_sheet(context, keys_);
  draw_toast(context, toast_);
  if (hint_) draw_hint(context, frame.centre);
}

void App::draw_docks(Ui& ui, PanelContext& context, const layout::FrameLayout& frame) {
  draw_menu_bar(context, menu_, frame.menu);
  draw_transport_panel(context, frame.transport);
  draw_tabs(context, frame.tabs);
  draw_right_dock(context, frame);
  // The lists come first: what they are hovered for lights up in the centre in the same frame.
  if (frame.left_shown) {
    draw_scenario_panel(context, form_, frame.scenario);
    draw_requests_panel(context, frame.requests);
  }
  draw_centre(context, frame.centre);
  draw_timeline_panel(context, timeline_, frame.timeline);
  draw_status_panel(context, frame.status);
  draw_splitters(ui, frame);
}

void App::draw_centre(PanelContext& context, const layout::Rect& dock) {
  if (compare_.open) {
    const CompareView view = comparison_.view(run_->player);
    return draw_compare_panel(context, compare_, started_, view, dock, [this] { later([this] { start_compared(); }); });
  }
  if (tab_ == kBlocksTab) draw_blocks_panel(context, blocks_, dock);
  if (tab_ == kWorkTab) draw_work_panel(context, dock);
  if (tab_ == kRadixTab) draw_radix_panel(context, radix_, dock);
  if (tab_ == kAttentionTab) draw_attention_panel(context, attention_, probe_answer(), dock);
  if (tab_ == kMetricsTab) draw_metrics_panel(context, metrics_, dock);
  if (tab_ == kHeadsTab) draw_heads_panel(context, heads_, dock);
  if (tab_ == kRooflineTab) draw_roofline_panel(context, roofline_, dock);
  if (tab_ == kKernelTab) draw_kernel_panel(context, kernel_, dock);
  if (tab_ == kSpecTab) draw_spec_panel(context, spec_, form_, dock);
}

void App::draw_right_dock(PanelContext& context, const layout::FrameLayout& frame) {
  if (!frame.right_shown) return;
  draw_guide_panel(context, guide_, frame.guide);
  draw_inspector_panel(context, inspector_, frame.inspector);
}

void App::draw_tabs(PanelContext& context, const layout::Rect& dock) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {context.px(4), context.px(3)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  // Close together: all of them fit the narrowest window.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {context.px(5), context.px(5)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {context.px(3), context.px(8)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.ui.theme().background);
  begin_panel(context.ui, "tabs", "", {dock.x, dock.y}, {dock.right(), dock.bottom()}, ImGuiWindowFlags_NoScrollbar);
  for (std::size_t i = 0; i < std::size(kCentreTabs); ++i) {
    const CentreTab& tab = kCentreTabs[i];
    const bool active = !compare_.open && tab_ == static_cast<int>(i);
    if (button(context.ui, tab.id, tab.caption, {.tooltip = tab.help, .shortcut = tab.key, .active = active})) {
      show_tab(static_cast<int>(i));
    }
    ImGui::SameLine();
  }
  const Look compare{
      .tooltip = "Two runs side by side, one parameter apart", .shortcut = "compare", .active = compare_.open};
  if (button(context.ui, "tab_compare", "Compare", compare)) later([this] { toggle_compare(); });
  end_panel();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(4);
}

/// Splitters lie in one window of their own behind nothing: each is a thin strip over two docks' border.
void App::draw_splitters(Ui& ui, const layout::FrameLayout& frame) {
  struct Strip {
    std::string_view id;
    layout::Rect rect;
    bool vertical;
    float* size;
    float direction;  ///< -1: the dock behind it grows when the strip moves up or left
    float whole;      ///< pixels that a share is a share of; 0: `size` is in logical pixels
  };
  const float left_height = frame.scenario.height + frame.requests.height;
  const float right_height = frame.guide.height + frame.inspector.height;
  const std::array<Strip, 5> strips{
      {{"split_left", frame.left_splitter, true, &docks_.left, 1, 0},
       {"split_right", frame.right_splitter, true, &docks_.right, -1, 0},
       {"split_timeline", frame.timeline_splitter, false, &docks_.timeline, -1, 0},
       {"split_scenario", frame.scenario_splitter, false, &docks_.scenario_share, 1, left_height},
       {"split_guide", frame.guide_splitter, false, &docks_.guide_share, 1, right_height}}};
  for (const Strip& strip : strips) {
    if (strip.rect.empty()) continue;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    begin_panel(ui, std::string(strip.id) + "_room", "", {strip.rect.x, strip.rect.y},
                {strip.rect.right(), strip.rect.bottom()},
                ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    float moved = 0;
    if (splitter(ui, strip.id, {strip.rect.x, strip.rect.y}, {strip.rect.right(), strip.rect.bottom()}, strip.vertical,
                 moved, -4000, 4000)) {
      *strip.size += strip.direction * (strip.whole > 0 ? moved * ui.scale() / strip.whole : moved);
      *strip.size = strip.whole > 0 ? std::clamp(*strip.size, 0.15F, 0.85F) : std::clamp(*strip.size, 96.0F, 1200.0F);
    }
    end_panel();
    ImGui::PopStyleVar(3);
  }
}

void App::say(std::string words, bool is_error) { toast_ = {std::move(words), is_error, seconds_ + 4}; }

void App::finish_run() {
  while (loader_.running()) {
    take_opened();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (session_.running()) {
    take_events();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  take_events();
  follow_player(false);
  while (comparison_.running()) {
    take_compared();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  take_compared();
  ask_probe();
  while (probes_.working()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void App::go_to_step(std::uint64_t step) {
  run_->player.seek_step(step);
  playback_.pause();
  follow_player(false);
}

}  // namespace kvarium::ui
