#pragma once
// The window's content: what is run, where in it the picture is, and the panels around it.

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/player.h"
#include "core/trace/timeline.h"
#include "visualizer/app/comparison.h"
#include "visualizer/app/model_loader.h"
#include "visualizer/app/moment.h"
#include "visualizer/app/playback.h"
#include "visualizer/app/probe_service.h"
#include "visualizer/app/run_models.h"
#include "visualizer/app/scenario_form.h"
#include "visualizer/app/session.h"
#include "visualizer/app/tabs.h"
#include "visualizer/layout/frame_layout.h"
#include "visualizer/panels/attention_panel.h"
#include "visualizer/panels/blocks_panel.h"
#include "visualizer/panels/guide_panel.h"
#include "visualizer/panels/heads_panel.h"
#include "visualizer/panels/inspector_panel.h"
#include "visualizer/panels/kernel_panel.h"
#include "visualizer/panels/menu_bar.h"
#include "visualizer/panels/metrics_panel.h"
#include "visualizer/panels/model_dialog.h"
#include "visualizer/panels/overlays.h"
#include "visualizer/panels/radix_panel.h"
#include "visualizer/panels/roofline_panel.h"
#include "visualizer/panels/spec_panel.h"
#include "visualizer/panels/timeline_panel.h"
#include "visualizer/platform/host.h"

namespace kvarium::ui {

/// A run as it grows: the events, the place in them, and what is collected from them.
struct Run {
  Run() : Run(std::make_unique<Trace>()) {}
  explicit Run(std::unique_ptr<Trace> events) : owned(std::move(events)) {}

  std::unique_ptr<Trace> owned;
  Trace& trace = *owned;
  Player player{trace};
  Timeline timeline;
};

class App final : private Actions {
 public:
  /// Draws into the host from its next frame on, until it is destroyed.
  explicit App(Host& host);
  ~App() override;

  // What is shown. InputError for names and files that there are not.
  void show_scenario(const std::string& id);
  void set_parameter(std::string_view field, std::string_view value) { set_field(form_, field, value); }
  void start(bool play);  ///< runs the scenario in the form
  void show_lesson(const std::string& id);
  void show_trace(const std::string& path);

  /// Waits until the engine has done all its work and everything it emitted is in the trace.
  void finish_run();
  void go_to_step(std::uint64_t step);
  void select_target(const Target& target) { selection_.selected = target; }
  void use_tab(int tab) { tab_ = tab; }
  /// Opens compare mode: the other run has this value. InputError for one that cannot be.
  void compare_with(std::string_view field, std::string_view value);
  void reduce_motion(bool on) { reduce_motion_ = on; }
  void show_hint(bool on) { hint_ = on; }
  void open_drawer(bool open) { drawer_ = open; }

  const Run& run() const { return *run_; }
  const Playback& playback() const { return playback_; }
  const std::string& message() const { return toast_.words; }
  const std::string& form_error() const { return form_.error; }
  /// What File > Quit does.
  void when_quit(std::function<void()> action) { quit_ = std::move(action); }

 private:
  void draw(Ui& ui);
  void update(Ui& ui);
  void take_events();
  void take_compared();
  void ask_probe();  ///< for what the Attention tab shows
  ProbeAnswer probe_answer() const;
  void take_measured();
  void follow_player(bool stepping);
  void show_what_is_meant();
  void draw_docks(Ui& ui, PanelContext& context, const layout::FrameLayout& frame);
  void draw_splitters(Ui& ui, const layout::FrameLayout& frame);
  void draw_right_dock(PanelContext& context, const layout::FrameLayout& frame);
  void draw_tabs(PanelContext& context, const layout::Rect& dock);
  void draw_centre(PanelContext& context, const layout::Rect& dock);
  void register_shortcuts(Ui& ui);
  void register_step(Shortcuts& keys, std::string_view id, std::function<void(KernelPanelState&)> of_kernel,
                     std::function<void()> of_run);
  void register_time_shortcuts(Shortcuts& keys);
  void register_view_shortcuts(Ui& ui);
  void register_attention_shortcuts(Shortcuts& keys);
  Scene scene() const;
  void new_run(std::string title, std::string summary);
  void say(std::string words, bool is_error);
  void move(const std::function<void()>& change);  ///< a single step: it always animates
  void take_opened();                              ///< what became of the model that was being read
  void show_opened();                              ///< in the dialog and in the form
  /// The scenario's parameters with the model that they name; false: it is being read first, then start() is called
  /// again.
  bool add_model(ScenarioParams& params, bool play);
  void select_request(int direction);  ///< the next or the previous one of the list
  void select_in_tree(TreeMove move);
  void toggle_compare();
  void start_compared();  ///< the other run, with what the panel says
  void later(std::function<void()> action) { queued_.push_back(std::move(action)); }

  // Actions: each is done before the next frame.
  void toggle_play() override;
  void step(Granularity granularity, bool forward) override;
  void step_mark(bool forward) override;
  void jump(std::size_t position) override;
  void set_speed(float speed) override;
  void set_granularity(Granularity granularity) override;
  void choose_scenario(const std::string& id) override;
  void run_scenario() override;
  void cancel_run() override;
  void open_lesson(const std::string& id) override;
  void answer(const std::string& given) override;
  void open_trace(const std::string& path) override;
  void choose_model() override;
  void open_model(const std::string& path) override;
  void stop_opening() override;
  void save_trace(const std::string& path) override;
  void save_picture(const std::string& path) override;
  void save_metrics(const std::string& path) override;
  void select(const Target& target) override;
  void go_to(const std::string& place) override;
  void show_tab(int tab) override;
  void measure_machine() override;
  void toggle_theme() override;
  void toggle_motion() override;
  void toggle_keys() override;
  void toggle_drawer() override;
  void zoom(float factor) override;
  void copy(const std::string& text) override;
  void quit() override;

  Host& host_;
  std::unique_ptr<Run> run_ = std::make_unique<Run>();
  Session session_;
  std::vector<Event> batch_;
  Playback playback_;
  Moment moment_;
  std::string title_, summary_;

  ScenarioForm form_ = make_form();
  Selection selection_;
  BlocksPanelState blocks_;
  MetricsPanelState metrics_;
  HeadsPanelState heads_;
  RooflinePanelState roofline_;
  KernelPanelState kernel_;
  SpecPanelState spec_;
  std::future<HardwareProfile> measured_;
  ComparePanelState compare_;
  Comparison comparison_;
  ScenarioForm started_;  ///< what the run that is shown was started with; without fields: no scenario
  RadixPanelState radix_;
  AttentionPanelState attention_;
  RunModels models_;
  ProbeService probes_;
  ModelLoader loader_;
  ModelDialog model_dialog_;
  ModelFiles opened_files_;
  std::shared_ptr<const ModelChoice> opened_;  ///< of opened_files_
  std::shared_ptr<const ModelChoice> used_;    ///< by the run that is shown; nullptr: no model of a file
  std::optional<bool> start_when_opened_;      ///< the form waits for the model; the value: whether it then plays
  GuidePanelState guide_;
  InspectorPanelState inspector_;
  TimelinePanelState timeline_;
  MenuState menu_;
  Toast toast_;
  layout::DockSizes docks_;
  int tab_ = kBlocksTab;
  bool drawer_ = false, keys_ = false, hint_ = true, reduce_motion_ = false;
  bool play_when_events_come_ = false;
  double seconds_ = 0;
  std::function<void()> quit_;
  std::vector<std::function<void()>> queued_;
};

}  // namespace kvarium::ui
