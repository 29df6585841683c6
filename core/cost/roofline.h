#pragma once
// How much a pass over a model computes and how many bytes it reads, and how fast a processor can do that at best: the
// roofline (Williams, Waterman, Patterson 2009). Its x is the arithmetic intensity, FLOP a byte; its roof is
//   min(peak, intensity * bandwidth)
// Left of the point where both are equal, the ridge, a pass waits for memory; right of it, for the arithmetic.
//
//   weights    2 FLOP a parameter and token, of the output head only for the last token of each sequence; each is read
//              once a pass, however many tokens it has. An embedding that is not the head as well is only looked up:
//              it is neither multiplied nor read, but for a row a token, which is not counted. Of experts, as many
//              are read as are hit on average when each is as likely as any other
//   attention  for each token and each position it looks at (itself included), over all layers:
//                4 * query heads * head dim               q.k and p.v, 2 FLOP a number each
//              latent attention in decode, its matrices absorbed (DeepSeek-V2, section 2.1.2):
//                2 * query heads * ((latent + rotary) + latent)
//              and in prefill, where K and V are unpacked:
//                2 * query heads * ((head dim + rotary) + head dim)
//              K and V are read once a sequence, which a prompt's attention comes near to when it is tiled
//
// Not counted, because it is small beside these: norms, softmax, activations, and the writes.

#include <cstdint>

#include "core/cost/element_type.h"
#include "core/cost/hardware.h"
#include "core/model_shape.h"

namespace kvarium {

/// FLOP of one token that looks at one position, over all layers, with one token a sequence or a whole prompt.
double decode_look_flops(const ModelShape& shape);
double prefill_look_flops(const ModelShape& shape);

struct RooflineSetup {
  ModelShape shape;              ///< of a known name: see parameters_of()
  std::uint64_t batch = 1;       ///< sequences in the pass
  std::uint64_t context = 4096;  ///< tokens of each: the prompt in prefill, all that is looked at in decode
  ElementType weights = ElementType::bf16;
  ElementType kv = ElementType::bf16;
};

struct Part {
  double flops = 0;
  double bytes = 0;

  double intensity() const { return bytes == 0 ? 0 : flops / bytes; }
};

struct PassCost {
  Part weights;
  Part attention;

  Part all() const { return {weights.flops + attention.flops, weights.bytes + attention.bytes}; }
};

/// The whole prompts at once. InputError for 0 sequences or tokens, a shape that check() refuses, or an unknown name.
PassCost prefill_cost(const RooflineSetup& setup);
/// One new token a sequence. Errors as prefill_cost().
PassCost decode_cost(const RooflineSetup& setup);
/// Bytes of the weights and of all sequences' K and V: what the memory must hold. Errors as prefill_cost().
double resident_bytes(const RooflineSetup& setup);

/// FLOP a byte of one sequence's attention in decode: query heads / KV heads * 2 / bytes an element; latent attention
/// has its own. InputError as check().
double attention_intensity(const ModelShape& shape, ElementType kv);

/// Where bandwidth and arithmetic are equally fast, FLOP a byte.
double ridge_point(const HardwareProfile& hardware);
enum class Bound : std::uint8_t { memory, compute };
Bound bound_of(const HardwareProfile& hardware, double intensity);
/// FLOP a second that a pass of this intensity reaches at best.
double attainable(const HardwareProfile& hardware, double intensity);
/// Seconds that it takes at least.
double seconds(const HardwareProfile& hardware, const Part& part);

}  // namespace kvarium
