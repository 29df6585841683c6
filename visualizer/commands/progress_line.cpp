#include "visualizer/commands/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace kvarium {
namespace {

constexpr int kBarWidth = 30;  ///< characters

}  // namespace

ProgressLine::ProgressLine(std::string doing) : doing_(std::move(doing)), watched_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (percent_ >= 0) std::fputs("\r\x1b[K", stderr);
}

OnProgress ProgressLine::on_progress() {
  if (!watched_) return {};
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& progress) {
  if (progress.total == 0) return;  // a pipe: nobody knows how much will come
  const double part = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const int percent = static_cast<int>(100 * part);
  if (percent == percent_) return;
  percent_ = percent;
  const int full = percent * kBarWidth / 100;
  std::string line = fmt::format("\r{} [{:#<{}}{:.<{}}] {:3} %", doing_, "", full, "", kBarWidth - full, percent);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace kvarium
