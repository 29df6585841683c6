#pragma once
// A DecodeProblem whose cache was quantized: the attention over the codes must be that over the numbers they stand for.

#include <cmath>
#include <vector>

#include "cuda/kernels/attention_decode_quantized.cuh"
#include "tests/cuda/kernels/decode_problem.h"
#include "tests/cuda/kernels/quantize_kv_problem.h"

namespace kvarium_test {

template <typename T, typename Code>
struct QuantizedDecodeProblem {
  using Numbers = DecodeProblem<T, float>;
  using Call = QuantizedAttentionDecode<T, Code>;

  QuantizedDecodeProblem(const DecodeShape& shape, const std::vector<unsigned>& lengths)
      : numbers(shape, lengths), keys(numbers.keys, shape.layout), values(numbers.values, shape.layout) {
    const DeviceBuffer<float> key_rows(numbers.keys, "key_rows"), value_rows(numbers.values, "value_rows");
    const DeviceBuffer<long long> slots(used_slots(), "slots");
    Stream stream;
    quantize_kv<float, Code>(QuantizeKvRung::packs, stream,
                             {{key_rows.ptr(), keys.codes.ptr(), keys.scales.ptr()},
                              {value_rows.ptr(), values.codes.ptr(), values.scales.ptr()},
                              slots.ptr()},
                             static_cast<int>(slots.size()), shape.layout);
    stream.synchronize();
    numbers.keys = keys.dequantized(shape.layout);
    numbers.values = values.dequantized(shape.layout);
  }

  /// Calls attend(stream, call), a Call.
  template <typename Attend>
  DecodeResult<T> run_with(const Attend& attend) const {
    return numbers.run_with([&](Stream& stream, const typename Numbers::Call& plain) {
      Call call;
      call.queries = plain.queries;
      call.kv = {keys.codes.ptr(),    values.codes.ptr(), keys.scales.ptr(),
                 values.scales.ptr(), plain.kv.layout,    plain.kv.tables};
      call.lengths = plain.lengths;
      call.out = plain.out;
      call.lse = plain.lse;
      call.sequences = plain.sequences;
      call.new_tokens = plain.new_tokens;
      call.query_heads = plain.query_heads;
      call.window = plain.window;
      call.scale = plain.scale;
      attend(stream, call);
    });
  }
  DecodeResult<T> run(unsigned splits) const {
    DeviceBuffer<float> part_out(numbers.heads() * splits * numbers.dim()), part_lse(numbers.heads() * splits);
    return run_with([&](Stream& stream, const Call& call) {
      attention_decode_quantized(stream, call, {part_out.ptr(), part_lse.ptr(), splits});
    });
  }
  double error(const DecodeResult<T>& got) const { return numbers.error(got); }

  /// K or V on the device. The scale of a slot that no sequence uses is a NaN, so that reading it would show.
  struct Side {
    Side(const std::vector<float>& rows, const KvLayout& layout)
        : codes(std::vector<Code>(rows.size() / CodeFormat<Code>::kNumbers), "codes"),
          scales(std::vector<float>(rows.size() / layout.head_dim, NAN), "scales") {}

    std::vector<float> dequantized(const KvLayout& layout) const {
      const std::size_t count = scales.size() * layout.head_dim;
      DeviceBuffer<float> decoded(count, "decoded");
      Stream stream;
      launch(dequantize_all<Code>, static_cast<unsigned>(count / 8 + 127) / 128, 128, 0, stream, codes.ptr(),
             scales.ptr(), decoded.ptr(), static_cast<int>(layout.head_dim), static_cast<int>(count));
      stream.synchronize();
      return decoded.download();
    }

    DeviceBuffer<Code> codes;
    DeviceBuffer<float> scales;
  };

  Numbers numbers;
  Side keys, values;

 private:
  /// Each slot of the cache, or kNoSlot where no sequence has a token.
  std::vector<long long> used_slots() const {
    const KvLayout& layout = numbers.shape.layout;
    std::vector<long long> slots;
    for (std::size_t i = 0; i < numbers.keys.size(); i += layout.token_stride()) {
      const auto slot = static_cast<long long>(i / layout.token_stride());
      slots.push_back(std::isnan(numbers.keys[i]) ? kNoSlot : slot);
    }
    return slots;
  }
};

}  // namespace kvarium_test
