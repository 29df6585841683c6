#pragma once
// How far long work is, on one line of standard error that goes when the work is done. Nothing where that is no
// terminal.

#include <string>

#include "core/replay/line_reader.h"

namespace kvarium {

class ProgressLine {
 public:
  /// `doing` in the chosen language: "reading".
  explicit ProgressLine(std::string doing);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Empty where nobody watches. Must not outlive this object.
  OnProgress on_progress();

 private:
  void show(const Progress& progress);

  std::string doing_;
  bool watched_;
  int percent_ = -1;  // shown last
};

}  // namespace kvarium
