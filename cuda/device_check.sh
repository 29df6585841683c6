#!/usr/bin/env bash
# Checks and times the kernels. See cuda/device_check.sh --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
cuda/device_check.sh [--out FOLDER] [--quick]

  Builds the kernels, runs their check (on a device under memcheck and racecheck too, where compute-sanitizer is, and
  that of a whole model too, where the libraries of a full build are), times every rung against what the device can
  do at best, and against PyTorch's attention where PyTorch is.
  Needs a C++ compiler and CMake; with nvcc and a device the kernels run there, without they run emulated, which
  says what they move but not how long they take. Ends with one table; FOLDER gets bench.json and the logs.

  --out FOLDER  where results go (default: build/device_check/results)
  --quick       without compute-sanitizer
  --help        this text

Exit code 0: all right; 1: a kernel is wrong; 2: wrong options, or something is missing.
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/device_check
out=$build/results
quick=no
while [ $# -gt 0 ]; do
  case $1 in
    --out)
      [ $# -ge 2 ] || { echo "device_check.sh: --out needs a folder" >&2 && exit 2; }
      out=$2 && shift 2
      ;;
    --quick) quick=yes && shift ;;
    --help | -h) usage && exit 0 ;;
    *) echo "device_check.sh: it does not know $1: see --help" >&2 && exit 2 ;;
  esac
done
command -v cmake >/dev/null || { echo "device_check.sh: there is no cmake: install it, or add it to PATH" >&2 && exit 2; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
PATH=$PATH:/usr/local/cuda/bin

# On a device only what its own processor understands is compiled; else for all, and then emulated.
device=no
options=(-DKVARIUM_KERNELS=ON -DCMAKE_BUILD_TYPE=Release)
if command -v nvcc >/dev/null && command -v nvidia-smi >/dev/null && nvidia-smi >"$out/nvidia-smi.log" 2>&1; then
  device=yes
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
  options+=(-DKVARIUM_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=${capability}-real")
  check=(kernels_device_test) bench=kernels_bench
else
  echo "No device with nvcc here: the kernels run emulated."
  check=(kernels_check_emulated) bench=kernels_bench_emulated
fi
cmake -S "$root" -B "$build" "${options[@]}" >"$out/configure.log" 2>&1 || { cat "$out/configure.log" && exit 2; }
cmake --build "$build" --parallel "$(nproc 2>/dev/null || echo 2)" >"$out/build.log" 2>&1 || { cat "$out/build.log" && exit 1; }

run_check() {  # name, command...
  local name=$1 status=0
  shift
  "$@" >"$out/$name.log" 2>&1 || status=$?
  echo "$name: $(grep . "$out/$name.log" | tail -n 1)"
  [ $status -ne 77 ] || { echo "$name: left out, no kernel can run here" && return 0; }
  [ $status -eq 0 ] || { tail -n 40 "$out/$name.log" && exit 1; }
}

run_check check "$build/${check[0]}"
if [ $device = yes ] && [ $quick = no ]; then
  if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
      run_check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/${check[0]}"
    done
  else
    echo "memcheck, racecheck: left out, there is no compute-sanitizer here"
  fi
fi

# A whole model on the device, beside the CPU reference, which needs the libraries of a full build.
if [ $device = yes ]; then
  full=$root/build/device_check_runner
  if cmake -S "$root" -B "$full" "${options[@]}" -DKVARIUM_KERNELS=OFF >"$out/configure_runner.log" 2>&1; then
    cmake --build "$full" --parallel "$(nproc 2>/dev/null || echo 2)" --target kernel_runner_device_test \
      >"$out/build_runner.log" 2>&1 || { cat "$out/build_runner.log" && exit 1; }
    run_check runner "$full/kernel_runner_device_test"
  else
    echo "runner: left out, a library of the full build is not here: see $out/configure_runner.log"
  fi
fi

"$build/$bench" --json "$out/bench.json" >"$out/table.txt" 2>"$out/bench.log" || { cat "$out/bench.log" && exit 1; }
if [ $device = yes ] && python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
  python3 "$root/cuda/bench/pytorch_attention.py" --json "$out/pytorch.json" >>"$out/table.txt"
fi
cat "$out/table.txt"
echo "Written to $out"
