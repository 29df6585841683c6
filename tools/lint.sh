#!/usr/bin/env bash
# Checks the sources' formatting (clang-format 14) and runs clang-tidy over them.
#
#   tools/lint.sh [--format-only] [FILE...]     without files: every source of the repository
#
# clang-tidy reads the compile commands of build/debug: run cmake --preset debug first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

status=0
format_only=no
if [ "${1:-}" = --format-only ]; then
  format_only=yes
  shift
fi

sources=("$@")
if [ ${#sources[@]} -eq 0 ]; then
  mapfile -t sources < <(find core cpu_reference cuda lessons visualizer tests -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' | sort)
fi

# Another version of clang-format breaks lines in other places, so only version 14 may judge.
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
  echo "lint: no clang-format 14 here; the formatting was not checked"
else
  if "$formatter" --dry-run --Werror "${sources[@]}"; then
    echo "lint: ${#sources[@]} files are formatted"
  else
    echo "lint: the files named above are not formatted; run: clang-format -i FILE" >&2
    status=1
  fi
fi
[ $format_only = no ] || exit $status

tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
if [ -z "$tidy" ]; then
  echo "lint: no clang-tidy here; install clang-tidy" >&2
  exit 1
fi
if [ ! -f build/debug/compile_commands.json ]; then
  echo "lint: build/debug/compile_commands.json is missing; run: cmake --preset debug" >&2
  exit 1
fi
# Headers are checked through the sources that include them.
if printf '%s\n' "${sources[@]}" | grep '\.cpp$' |
  xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 "$tidy" -p build/debug --quiet --warnings-as-errors='*' \
    2> >(grep -v ' warnings generated\.$' >&2); then
  echo "lint: clang-tidy has nothing to say"
else
  status=1
fi
exit $status
