#include "core/cost/roofline.h"

#include <algorithm>

#include "core/cost/kv_bytes.h"
#include "core/cost/parameters.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

double bytes_of(ElementType type) { return bits(type) / 8.0; }

/// Of all sequences together.
double kv_bytes_of(const RooflineSetup& setup) {
  return static_cast<double>(kv_elements_per_token(setup.shape)) * bytes_of(setup.kv) *
         static_cast<double>(setup.context) * static_cast<double>(setup.batch);
}

void must_run(const RooflineSetup& setup) {
  if (setup.batch == 0) throw InputError(std::string(tr("a batch of 0 sequences computes nothing: give at least 1")));
  if (setup.context == 0) throw InputError(std::string(tr("a context of 0 tokens: give at least 1")));
}

/// `tokens` and `looks` of all sequences together; each sequence asks for one new token.
PassCost pass_cost(const RooflineSetup& setup, double tokens, double looks, double look_flops) {
  const ParameterCount parameters = parameters_of(setup.shape);
  const double multiplied = parameters.body() * tokens + parameters.head * static_cast<double>(setup.batch);
  return {{2 * multiplied, parameters.read_by(tokens) * bytes_of(setup.weights)},
          {look_flops * looks, kv_bytes_of(setup)}};
}

}  // namespace

double decode_look_flops(const ModelShape& shape) {
  if (shape.kv_kind == KvKind::heads) return 4.0 * shape.layers * shape.query_heads * shape.head_dim;
  return 2.0 * shape.layers * shape.query_heads * (2.0 * shape.latent_dim + shape.rotary_key_dim);
}

double prefill_look_flops(const ModelShape& shape) {
  if (shape.kv_kind == KvKind::heads) return decode_look_flops(shape);
  return 2.0 * shape.layers * shape.query_heads * (2.0 * shape.head_dim + shape.rotary_key_dim);
}

PassCost prefill_cost(const RooflineSetup& setup) {
  must_run(setup);
  const auto batch = static_cast<double>(setup.batch), tokens = static_cast<double>(setup.context);
  const double looks = tokens * (tokens + 1) / 2;  // no token looks ahead
  return pass_cost(setup, batch * tokens, batch * looks, prefill_look_flops(setup.shape));
}

PassCost decode_cost(const RooflineSetup& setup) {
  must_run(setup);
  const auto batch = static_cast<double>(setup.batch);
  return pass_cost(setup, batch, batch * static_cast<double>(setup.context), decode_look_flops(setup.shape));
}

double resident_bytes(const RooflineSetup& setup) {
  must_run(setup);
  return parameters_of(setup.shape).total() * bytes_of(setup.weights) + kv_bytes_of(setup);
}

double attention_intensity(const ModelShape& shape, ElementType kv) {
  return decode_look_flops(shape) / (static_cast<double>(kv_elements_per_token(shape)) * bytes_of(kv));
}

double ridge_point(const HardwareProfile& hardware) {
  return hardware.flops_per_second / hardware.memory.bytes_per_second;
}

Bound bound_of(const HardwareProfile& hardware, double intensity) {
  return intensity < ridge_point(hardware) ? Bound::memory : Bound::compute;
}

double attainable(const HardwareProfile& hardware, double intensity) {
  return std::min(hardware.flops_per_second, intensity * hardware.memory.bytes_per_second);
}

double seconds(const HardwareProfile& hardware, const Part& part) {
  return std::max(part.flops / hardware.flops_per_second, transfer_time(part.bytes, hardware.memory));
}

}  // namespace kvarium
