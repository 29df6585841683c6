// What the panels and the keys ask of the App.

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/trace/trace_io.h"

#include "core/words/words.h"
#include "cpu_reference/measure_machine.h"
#include "lessons/kit/lesson.h"
#include "lessons/scenarios/paged_kernel.h"
#include "lessons/scenarios/set_parameter.h"
#include "visualizer/app/app.h"
#include "visualizer/platform/png.h"
#include "visualizer/platform/write_file.h"

namespace kvarium::ui {

void App::new_run(std::string title, std::string summary) {
  session_.stop();
  if (start_when_opened_) loader_.cancel();  // what waits for a model is no longer wanted
  start_when_opened_.reset();
  playback_.pause();
  run_ = std::make_unique<Run>();
  moment_.forget();
  selection_ = {};
  inspector_.log.forget();
  inspector_.why = {};
  guide_ = {};
  timeline_ = {};
  blocks_.scroll = 0;
  radix_.forget();
  attention_.forget();
  probes_.forget();
  metrics_.forget();
  spec_.forget();
  comparison_.forget();
  compare_ = {};
  started_ = {};
  used_.reset();
  toast_ = {};
  title_ = std::move(title);
  summary_ = std::move(summary);
  play_when_events_come_ = false;
}

void App::show_scenario(const std::string& id) { choose(form_, id); }

void App::start(bool play) {
  form_.error.clear();
  const Scenario& scenario = find_scenario(form_.chosen);
  ScenarioParams params = params_of(form_);
  try {
    check(scenario, params);
  } catch (const InputError& error) {
    form_.error = error.what();
    return;
  }
  if (!add_model(params, play)) return;
  new_run(scenario.id == "own" ? scenario.title : scenario.id + "  " + scenario.title, scenario.summary);
  const bool guesses = find_field(form_, "proposer") != nullptr && params.proposer != "none";
  tab_ = scenario.id == "S01"   ? kWorkTab
         : scenario.id == "S05" ? kRadixTab
         : scenario.id == "S08" ? kHeadsTab
         : scenario.id == "S11" ? kKernelTab
         : guesses              ? kSpecTab
                                : kBlocksTab;
  if (tab_ == kKernelTab) kernel_.show(paged_kernel_demo(params));
  started_ = form_;
  play_when_events_come_ = play;
  used_ = params.opened;
  // A model of a file takes its time: the window shows each step as it comes. A shipped one is done at once.
  if (play && used_ != nullptr) playback_.speed = kMaxSpeed;
  session_.start([&scenario, params](EventSink& sink, const CancelToken& cancel) {
    kvarium::run_scenario(scenario, params, sink, cancel);
  });
}

void App::show_lesson(const std::string& id) {
  const Lesson& lesson = find_lesson(id);
  new_run(lesson.title, "");
  form_.chosen.clear();
  form_.fields.clear();
  tab_ = kBlocksTab;
  drawer_ = true;
  play_when_events_come_ = true;
  session_.start([&lesson](EventSink& sink, const CancelToken&) { record_lesson(lesson, sink); });
}

void App::show_trace(const std::string& path) {
  ReadTrace read = read_trace(path);
  new_run(std::filesystem::path(path).filename().string(),
          tr_format("The trace {}: {} events.", path, read.trace->size()));
  form_.chosen.clear();
  form_.fields.clear();
  run_ = std::make_unique<Run>(std::move(read.trace));
  run_->timeline.follow(run_->trace);
  if (!read.warning.empty()) say(read.warning, false);
}

// --- time

void App::toggle_play() {
  later([this] {
    hint_ = false;
    playback_.toggle(run_->player, session_.running());
  });
}
void App::step(Granularity granularity, bool forward) {
  later([this, granularity, forward] {
    move([&] { forward ? run_->player.forward(granularity) : run_->player.back(granularity); });
  });
}
void App::step_mark(bool forward) {
  later([this, forward] {
    const MarkSet marks = kMemoryMarks | kWords;
    move([&] { forward ? run_->player.next_mark(marks) : run_->player.previous_mark(marks); });
  });
}
void App::jump(std::size_t position) {
  later([this, position] { move([&] { run_->player.seek(position); }); });
}
void App::set_speed(float speed) {
  later([this, speed] { playback_.speed = speed; });
}
void App::set_granularity(Granularity granularity) {
  later([this, granularity] { playback_.granularity = granularity; });
}

// --- what is shown

void App::choose_scenario(const std::string& id) {
  later([this, id] {
    choose(form_, id);
    start(true);
  });
}
void App::run_scenario() {
  later([this] {
    if (form_.chosen.empty()) return say(std::string(tr("Choose a scenario first.")), true);
    start(true);
  });
}
void App::cancel_run() {
  later([this] { session_.cancel(); });
}
void App::open_lesson(const std::string& id) {
  later([this, id] { show_lesson(id); });
}
void App::answer(const std::string& given) {
  later([this, given] { guide_.answers[run_->player.position()] = given; });
}
void App::open_trace(const std::string& path) {
  later([this, path] {
    try {
      show_trace(path);
    } catch (const InputError& error) {
      say(error.what(), true);
    }
  });
}
void App::save_trace(const std::string& path) {
  later([this, path] {
    try {
      write_trace(path, run_->trace);
      say(tr_format("Saved {} events to {}.", run_->trace.size(), path), false);
    } catch (const InputError& error) {
      say(error.what(), true);
    }
  });
}
void App::save_picture(const std::string& path) {
  later([this, path] {
    host_.after_frame([this, path] {
      try {
        write_png(path, host_.screenshot());
        say(tr_format("Saved the picture to {}.", path), false);
      } catch (const InputError& error) {
        say(error.what(), true);
      }
    });
  });
}

void App::save_metrics(const std::string& path) {
  later([this, path] {
    try {
      follow(metrics_, run_->trace, run_->player);
      write_file(path, metrics_file(metrics_, run_->player.world(), path));
      say(tr_format("Saved the metrics to {}.", path), false);
    } catch (const InputError& error) {
      say(error.what(), true);
    }
  });
}

// --- two runs

void App::toggle_compare() {
  compare_.open = !compare_.open;
  if (!compare_.open || comparison_.view(run_->player).right != nullptr) return;
  if (comparable_fields(started_).empty()) return;
  suggest_other(compare_, started_);
  start_compared();
}

void App::start_compared() {
  compare_.error.clear();
  const Scenario& scenario = find_scenario(started_.chosen);
  ScenarioParams params = params_of(started_);
  const FormField& other = compare_.other;
  const FormField& here = started_.fields[comparable_fields(started_)[static_cast<std::size_t>(compare_.field)]];
  compare_.left_title = here.id + " = " + value_text(here);
  compare_.right_title = other.id + " = " + value_text(other);
  try {
    kvarium::set_parameter(scenario, params, {other.id, value_text(other)});
    params.opened = used_;
    comparison_.start(scenario, params);
  } catch (const InputError& error) {
    compare_.error = error.what();
  }
}

void App::compare_with(std::string_view field, std::string_view value) {
  const std::vector<std::size_t> fields = comparable_fields(started_);
  std::string names;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    names += (names.empty() ? "" : ", ") + started_.fields[fields[i]].id;
    if (started_.fields[fields[i]].id == field) compare_.field = static_cast<int>(i);
  }
  if (fields.empty() || started_.fields[fields[static_cast<std::size_t>(compare_.field)]].id != field) {
    throw InputError(tr_format("\"{}\" cannot be compared; there are: {}", field, names));
  }
  ScenarioForm other = started_;
  set_field(other, field, value);
  compare_.other = other.fields[fields[static_cast<std::size_t>(compare_.field)]];
  compare_.open = true;
  start_compared();
  if (!compare_.error.empty()) throw InputError(compare_.error);
}

// --- how it is shown

void App::select(const Target& target) {
  selection_.selected = target;
  if (target) inspector_.select_tab = "tab_object";
}
void App::go_to(const std::string& place) {
  const auto request = resolve(run_->player.world(), selection_.selected).request;
  const auto found = parse_place(place, request.value_or(RequestId{0}));
  if (!found) return say(tr_format("\"{}\" leads nowhere; write b12, t13, s37 or rA.", place), true);
  if (!found->step) return select(found->target);
  later([this, step = *found->step] { move([&] { run_->player.seek_step(step); }); });
}
void App::select_request(int direction) {
  const auto& requests = run_->player.world().requests;
  if (requests.empty()) return;
  const auto last = static_cast<int>(requests.size()) - 1;
  int next = direction > 0 ? 0 : last;
  if (selection_.selected.kind == Target::Kind::request) {
    next = std::clamp(static_cast<int>(selection_.selected.request) + direction, 0, last);
  }
  select(Target::of_request(RequestId{static_cast<std::uint32_t>(next)}));
}
void App::select_in_tree(TreeMove move) {
  if (tab_ != kRadixTab) return;
  const auto target = neighbour(radix_, selection_.selected, move);
  if (!target) return;
  select(*target);
  radix_.reveal = target;
}
void App::show_tab(int tab) {
  tab_ = tab;
  compare_.open = false;
}
void App::measure_machine() {
  if (roofline_.measuring) return;
  roofline_.measuring = true;
  measured_ = std::async(std::launch::async, [] { return cpu::measure_machine(); });
}
void App::toggle_theme() {
  const bool dark = host_.ui().theme().name == ThemeName::dark;
  host_.ui().set_theme(dark ? ThemeName::light : ThemeName::dark);
}
void App::toggle_motion() { reduce_motion_ = !reduce_motion_; }
void App::toggle_keys() { keys_ = !keys_; }
void App::toggle_drawer() { drawer_ = !drawer_; }
void App::zoom(float factor) { host_.ui().set_zoom(factor == 1 ? 1 : host_.ui().zoom() * factor); }
void App::copy(const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
  say(std::string(tr("Copied.")), false);
}
void App::quit() {
  if (quit_) later(quit_);
}

}  // namespace kvarium::ui
