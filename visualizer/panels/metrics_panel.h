#pragma once
// The Metrics tab: hit rate, memory and requests over the steps, and the page of numbers beside them.

#include <string>

#include "core/metrics/summary.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct MetricsPanelState {
  MetricsLog log;            ///< of the trace that is shown
  MetricsSummary summary;    ///< of the moment, kept while it stays the same
  std::string text;          ///< the summary as a page
  std::size_t position = 0;  ///< that both are of
  std::size_t events = SIZE_MAX;

  void forget() { *this = {}; }  ///< for another trace
};

/// Brings the state to the moment that is shown.
void follow(MetricsPanelState& state, const Trace& trace, const Player& player);
void draw_metrics_panel(PanelContext& context, MetricsPanelState& state, const layout::Rect& dock);
/// What the file is to hold, by its name: ".requests.csv" a row a request, ".csv" a row a step, ".prom" Prometheus'
/// text, anything else the page.
std::string metrics_file(const MetricsPanelState& state, const World& world, const std::string& path);

}  // namespace kvarium::ui
