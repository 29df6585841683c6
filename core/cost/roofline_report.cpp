#include "core/cost/roofline_report.h"

#include "core/cost/head_kind.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/parameters.h"
#include "core/cost/units.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

void add_rows(std::vector<RooflineRow>& rows, std::string_view pass, const PassCost& cost,
              const HardwareProfile& hardware) {
  const auto add = [&](std::string_view part, const Part& of) {
    rows.push_back({pass, part, of, attainable(hardware, of.intensity()), bound_of(hardware, of.intensity()),
                    seconds(hardware, of)});
  };
  add("weights", cost.weights);
  add("attention", cost.attention);
  add("whole", cost.all());
}

/// "4.23", "4,229"
std::string intensity_text(double intensity) {
  return intensity < 1000 ? three_digits(intensity) : with_commas(static_cast<std::uint64_t>(intensity + 0.5));
}

std::string table(const std::vector<RooflineRow>& rows) {
  std::string text = fmt::format("{:<8} {:<10} {:>11} {:>10} {:>9} {:>13}  {:<11} {:>9}\n", "", "", tr("computes"),
                                 tr("reads"), tr("FLOP/B"), tr("at best"), tr("waits for"), tr("at least"));
  for (const RooflineRow& row : rows) {
    text += fmt::format("{:<8} {:<10} {:>11} {:>10} {:>9} {:>13}  {:<11} {:>9}\n", tr(row.pass), tr(row.part),
                        in_steps(row.cost.flops, "FLOP"), in_steps(row.cost.bytes, "B"),
                        intensity_text(row.cost.intensity()), in_steps(row.rate, "FLOP/s"), bound_in_words(row.bound),
                        duration(row.seconds));
  }
  return text;
}

std::string billions(double number) { return three_digits(number / 1e9); }

}  // namespace

std::vector<RooflineRow> roofline_rows(const RooflineSetup& setup, const HardwareProfile& hardware) {
  std::vector<RooflineRow> rows;
  add_rows(rows, "prefill", prefill_cost(setup), hardware);
  add_rows(rows, "decode", decode_cost(setup), hardware);
  return rows;
}

std::string bound_in_words(Bound bound) {
  return std::string(bound == Bound::memory ? tr("memory") : tr("arithmetic"));
}

std::string parameters_in_words(const ModelShape& shape) {
  const ParameterCount count = parameters_of(shape);
  if (count.routed == 0) return tr_format("{} billion parameters", billions(count.total()));
  return tr_format("{} billion parameters, {} of them for each token", billions(count.total()),
                   billions(count.active()));
}

std::string roof_in_words(const HardwareProfile& hardware) {
  return tr_format("{} and {} meet at {} FLOP/B", in_steps(hardware.flops_per_second, "FLOP/s"),
                   in_steps(hardware.memory.bytes_per_second, "B/s"), three_digits(ridge_point(hardware)));
}

std::vector<std::string> roofline_sentences(const RooflineSetup& setup, const HardwareProfile& hardware) {
  const double first = seconds(hardware, prefill_cost(setup).all());
  const double next = seconds(hardware, decode_cost(setup).all());
  const double needed = resident_bytes(setup);
  std::vector<std::string> sentences{
      tr_format("First token after {} at least, then one each {}: {} tokens/s for each, {} for all.", duration(first),
                duration(next), three_digits(1 / next), three_digits(static_cast<double>(setup.batch) / next))};
  const std::string memory = in_steps(hardware.memory_bytes, "B");
  sentences.push_back(needed <= hardware.memory_bytes
                          ? tr_format("Weights, K and V take {} of its {}.", in_steps(needed, "B"), memory)
                          : tr_format("Weights, K and V take {}: more than its {}, so one alone cannot run this.",
                                      in_steps(needed, "B"), memory));
  if (setup.shape.context != 0 && setup.context > setup.shape.context) {
    sentences.push_back(tr_format("The model was made for at most {} tokens.", with_commas(setup.shape.context)));
  }
  return sentences;
}

std::string roofline_report(const RooflineSetup& setup, const HardwareProfile& hardware) {
  const std::vector<RooflineRow> rows = roofline_rows(setup, hardware);
  std::string text = tr_format("Roofline of {} ({}, {})\n", setup.shape.name, head_kind_name(setup.shape),
                               parameters_in_words(setup.shape));
  text += tr_format("{} x {} tokens; weights in {}, K and V in {}\n", with_commas(setup.batch),
                    with_commas(setup.context), name(setup.weights), name(setup.kv));
  text += tr_format("on {}: {}\n({})\n\n", hardware.name, roof_in_words(hardware), hardware.source);
  text += table(rows) + '\n';
  for (const std::string& sentence : roofline_sentences(setup, hardware)) text += sentence + '\n';
  return text;
}

}  // namespace kvarium
