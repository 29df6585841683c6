#pragma once
// Metrics as text: for people, for a spreadsheet, for Prometheus.

#include <string>

#include "core/metrics/summary.h"

namespace kvarium {

/// A page for people.
std::string metrics_text(const MetricsSummary& summary);
/// CSV (RFC 4180, lines end with a line feed): a header, then one row a step, up to `last_step`.
std::string steps_csv(const MetricsLog& log, std::uint64_t last_step);
/// A header, then one row a request. Fields that a request does not have are empty.
std::string requests_csv(const MetricsSummary& summary);

/// Prometheus' text format, version 0.0.4. Names that begin with vllm: mean what they mean in vLLM; what vLLM does not
/// have begins with kvarium:. Times from a cost model carry the label time="simulated".
std::string prometheus_text(const MetricsSummary& summary, const MetricsLog& log, const World& world);

}  // namespace kvarium
