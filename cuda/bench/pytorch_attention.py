#!/usr/bin/env python3
"""Times PyTorch's scaled_dot_product_attention on the problems of kernels_bench, for cuda/device_check.sh.

Needs PyTorch with a device. Prints rows like those of kernels_bench, and writes JSON.
"""

import argparse
import json

import torch
import torch.nn.functional as F

WARM_UP = 3
RUNS = 20


def seconds(work) -> list[float]:
    """Sorted times of each run."""
    for _ in range(WARM_UP):
        work()
    times = []
    for _ in range(RUNS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return sorted(times)


def numbers(*shape: int) -> torch.Tensor:
    return torch.rand(shape, device="cuda", dtype=torch.bfloat16) * 2 - 1


def prefill(tokens: int, query_heads: int, kv_heads: int, dim: int) -> dict:
    """One sequence, each token sees those up to itself."""
    q, k, v = numbers(1, query_heads, tokens, dim), numbers(1, kv_heads, tokens, dim), numbers(1, kv_heads, tokens, dim)
    times = seconds(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=query_heads != kv_heads))
    flops = 4.0 * query_heads * dim * tokens * (tokens + 1) / 2
    return row("prefill", f"{tokens} tokens, {query_heads} heads over {kv_heads} of {dim}, bf16", times, flops=flops)


def decode(sequences: int, tokens: int, query_heads: int, kv_heads: int, dim: int) -> dict:
    """One new token a sequence; K and V lie side by side, not in blocks."""
    q = numbers(sequences, query_heads, 1, dim)
    k, v = numbers(sequences, kv_heads, tokens, dim), numbers(sequences, kv_heads, tokens, dim)
    times = seconds(lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=query_heads != kv_heads))
    problem = f"{sequences} x {tokens} tokens, {query_heads} heads over {kv_heads} of {dim}, bf16"
    return row("decode", problem, times, moved=4.0 * sequences * tokens * kv_heads * dim)


def row(kernel: str, problem: str, times: list[float], moved: float = 0, flops: float = 0) -> dict:
    median = times[len(times) // 2]
    print(f"{'sdpa ' + kernel:<18} {'PyTorch':<15} {problem:<52} {median * 1e6:9.1f} us ({times[0] * 1e6:.1f} .. "
          f"{times[-1] * 1e6:.1f}, {len(times)} runs)  {moved / median / 1e9:7.0f} GB/s  {flops / median / 1e12:7.1f} TFLOP/s")
    return {"kernel": kernel, "problem": problem, "median_seconds": median, "fastest_seconds": times[0],
            "slowest_seconds": times[-1], "runs": len(times)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True, help="the file for the figures")
    arguments = parser.parse_args()
    rows = [prefill(8192, 16, 16, 128), prefill(8192, 32, 8, 128), decode(64, 8192, 32, 8, 128)]
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump({"torch": torch.__version__, "device": torch.cuda.get_device_name(0), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
