#pragma once
// quantize_kv on random rows, and what must be in the cache then: for the emulated tests and for those on a device.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cuda/kernels/quantize_kv.cuh"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

using namespace kvarium::cuda;
using kvarium::KvLayout;

/// numbers[i] = what the codes say, kCount codes of one scale a thread.
template <typename Code>
__global__ void dequantize_all(gptr<const Code> codes, gptr<const float> scales, gptr<float> numbers, int head_dim,
                               int count) {
  constexpr int kCount = 8;
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kCount;
  if (first >= count) return;
  float decoded[kCount];
  const auto pack = load_vec<QuantizedPack<Code, kCount>>(codes + first / CodeFormat<Code>::kNumbers);
  dequantize(pack, scales[first / head_dim], decoded);
  for (int i = 0; i < kCount; ++i) numbers[first + i] = decoded[i];
}

/// K or V of a layer after the kernel.
struct DequantizedCache {
  std::vector<float> scales;   ///< [slot][kv_head]
  std::vector<float> numbers;  ///< [slot][kv_head][head_dim]
};

/// Tokens for some of the slots of a cache of four blocks. Heads of a multiple of 8 numbers.
template <typename T, typename Code>
struct QuantizeKvProblem {
  QuantizeKvProblem(const KvLayout& cache_layout, std::vector<long long> token_slots)
      : layout(cache_layout),
        slots(std::move(token_slots)),
        keys(random_numbers<T>(slots.size() * layout.token_stride(), 1)),
        values(random_numbers<T>(slots.size() * layout.token_stride(), 2)) {}

  std::size_t num_slots() const { return std::size_t{4} * layout.block_size; }

  std::pair<DequantizedCache, DequantizedCache> run(QuantizeKvRung rung) const {
    const std::size_t codes = num_slots() * layout.token_stride() / CodeFormat<Code>::kNumbers;
    const DeviceBuffer<T> keys_device(keys, "keys"), values_device(values, "values");
    const DeviceBuffer<long long> slots_device(slots, "slots");
    DeviceBuffer<Code> key_cache(codes, "key_cache"), value_cache(codes, "value_cache");
    DeviceBuffer<float> key_scales(num_slots() * layout.kv_heads, "key_scales");
    DeviceBuffer<float> value_scales(num_slots() * layout.kv_heads, "value_scales");
    Stream stream;
    for (DeviceBuffer<Code>* buffer : {&key_cache, &value_cache}) buffer->zero(stream);
    for (DeviceBuffer<float>* buffer : {&key_scales, &value_scales}) buffer->zero(stream);
    quantize_kv<T, Code>(rung, stream,
                         {{keys_device.ptr(), key_cache.ptr(), key_scales.ptr()},
                          {values_device.ptr(), value_cache.ptr(), value_scales.ptr()},
                          slots_device.ptr(),
                          fixed_scale},
                         static_cast<int>(slots.size()), layout);
    stream.synchronize();
    return {dequantized(key_cache, key_scales), dequantized(value_cache, value_scales)};
  }

  DequantizedCache dequantized(const DeviceBuffer<Code>& codes, const DeviceBuffer<float>& scales) const {
    const std::size_t count = codes.size() * CodeFormat<Code>::kNumbers;
    DeviceBuffer<float> numbers(count, "numbers");
    Stream stream;
    launch(dequantize_all<Code>, static_cast<unsigned>(count / 8 + 127) / 128, 128, 0, stream, codes.ptr(),
           scales.ptr(), numbers.ptr(), static_cast<int>(layout.head_dim), static_cast<int>(count));
    stream.synchronize();
    return {scales.download(), numbers.download()};
  }

  int num_wrong(QuantizeKvRung rung) const {
    const auto [key_cache, value_cache] = run(rung);
    return num_wrong(key_cache, keys) + num_wrong(value_cache, values);
  }
  /// Heads with a wrong scale or a number that is not within rounding; slots without a token hold zeros.
  int num_wrong(const DequantizedCache& cache, const std::vector<T>& rows) const {
    int wrong = 0;
    for (std::size_t head = 0; head < cache.scales.size(); ++head) {
      const std::size_t slot = head / layout.kv_heads;
      const auto token = std::find(slots.begin(), slots.end(), static_cast<long long>(slot)) - slots.begin();
      const bool has_token = token < static_cast<std::ptrdiff_t>(slots.size());
      std::vector<float> wanted(layout.head_dim, 0.0F);
      for (std::size_t i = 0; has_token && i < wanted.size(); ++i) {
        wanted[i] = to_float(
            rows[(static_cast<std::size_t>(token) * layout.kv_heads + head % layout.kv_heads) * layout.head_dim + i]);
      }
      wrong += is_right(wanted, cache.scales[head], cache.numbers.data() + head * layout.head_dim, has_token) ? 0 : 1;
    }
    return wrong;
  }
  bool is_right(const std::vector<float>& wanted, float scale, const float* got, bool has_token) const {
    float largest = 0;
    for (const float number : wanted) largest = std::fmax(largest, std::fabs(number));
    const float own_scale = largest / CodeFormat<Code>::kLargest;
    if (scale != (has_token && fixed_scale != 0 ? fixed_scale : own_scale)) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double most = static_cast<double>(CodeFormat<Code>::kLargest) * static_cast<double>(scale);
      const double number = std::fmin(std::fmax(static_cast<double>(wanted[i]), -most), most);  // saturates
      if (!(std::fabs(static_cast<double>(got[i]) - number) <= rounding(number, static_cast<double>(scale)))) {
        return false;
      }
    }
    return true;
  }
  /// Half of the distance of two codes: for a whole number one scale; for e4m3 2^-3 of the number, but the 2^-9 of its
  /// smallest numbers at least. The division and the product in float round by 2^-24 each, and so does the scale, which
  /// may cut off that much of the largest number: 2^-22 together.
  static double rounding(double number, double scale) {
    const double step = std::is_same_v<Code, e4m3> ? std::fmax(std::fabs(number) * 0x1p-3, scale * 0x1p-9) : scale;
    return step / 2 + std::fabs(number) * 0x1p-22;
  }

  KvLayout layout;
  std::vector<long long> slots;
  std::vector<T> keys, values;
  float fixed_scale = 0;
};

}  // namespace kvarium_test
