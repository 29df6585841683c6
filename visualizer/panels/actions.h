#pragma once
// What panels may ask the program to do. It is done before the next frame, so that nothing changes under a panel that
// is being drawn.

#include <cstddef>
#include <string>

#include "core/trace/player.h"
#include "visualizer/layout/target.h"

namespace kvarium::ui {

class Actions {
 public:
  Actions() = default;
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  virtual ~Actions() = default;

  // Time.
  virtual void toggle_play() = 0;
  virtual void step(Granularity granularity, bool forward) = 0;
  virtual void step_mark(bool forward) = 0;
  virtual void jump(std::size_t position) = 0;  ///< to after that many events; past the end: to the end
  virtual void set_speed(float speed) = 0;
  virtual void set_granularity(Granularity granularity) = 0;

  // What is shown.
  virtual void choose_scenario(const std::string& id) = 0;
  virtual void run_scenario() = 0;  ///< with the parameters in the form
  virtual void cancel_run() = 0;
  virtual void open_lesson(const std::string& id) = 0;
  virtual void answer(const std::string& given) = 0;  ///< to the lesson's question
  virtual void open_trace(const std::string& path) = 0;
  virtual void choose_model() = 0;                       ///< asks which
  virtual void open_model(const std::string& path) = 0;  ///< file or folder
  virtual void stop_opening() = 0;                       ///< the model that is being read
  virtual void save_trace(const std::string& path) = 0;
  virtual void save_picture(const std::string& path) = 0;
  virtual void save_metrics(const std::string& path) = 0;  ///< as the file's name ends, see metrics_file()

  // How it is shown.
  virtual void select(const Target& target) = 0;
  virtual void go_to(const std::string& place) = 0;  ///< "b12", "t13", "s37", "rA"
  virtual void show_tab(int tab) = 0;
  virtual void measure_machine() = 0;  ///< for the Roofline tab
  virtual void toggle_theme() = 0;
  virtual void toggle_motion() = 0;
  virtual void toggle_keys() = 0;
  virtual void toggle_drawer() = 0;
  virtual void zoom(float factor) = 0;  ///< 1: back to 100 %
  virtual void copy(const std::string& text) = 0;
  virtual void quit() = 0;
};

}  // namespace kvarium::ui
