#!/usr/bin/env bash
# Makes sure that the packages Kvarium needs are installed. ./run and ./test call it; it can be called alone.
#
#   tools/setup.sh [--no-install] GROUP...      groups: build run test bench
#
# Says what it installs and why. When nothing is missing it calls no package manager at all. Works with apt
# (Debian 12 and 13, Ubuntu 24.04); elsewhere it says what to install by hand. Exit code 1: something is missing.
set -euo pipefail

# package | why
build_packages='
cmake            | describes the build
ninja-build      | runs the build
g++              | compiles C++20
ccache           | makes the second build quick
pkg-config       | finds Dear ImGui
libimgui-dev     | Dear ImGui, what the window is drawn with
libglfw3-dev     | GLFW, opens the window
libopengl-dev    | OpenGL, draws the window
libgl-dev        | OpenGL, as older CMake files name it
libegl-dev       | OpenGL without a display
libfreetype-dev  | FreeType, draws sharp letters
libeigen3-dev    | Eigen, the matrices of the reference model
nlohmann-json3-dev | reads and writes traces
libcli11-dev     | the command line
libfmt-dev       | formats text
libutf8proc-dev  | utf8proc, tells letters from digits in every script
libxxhash-dev    | xxHash, names blocks of the prefix cache by their content
libstb-dev       | stb, writes pictures (PNG)
libboost-context-dev | Boost.Context, switches between the threads of an emulated kernel
'
run_packages='
libgl1-mesa-dri  | draws OpenGL, without a graphics card as well
libglx-mesa0     | OpenGL in an X11 window
libegl-mesa0     | OpenGL without a display
fonts-inter      | the font of the window
fonts-jetbrains-mono | the font of numbers and code
fonts-wqy-microhei | Chinese letters
'
test_packages='
catch2           | the tests
librapidcheck-dev | tests with random operations
xvfb             | a display for the test of the window, where there is none
xauth            | lets that test use the display
xdotool          | presses real keys and buttons in that test
'
bench_packages='
libbenchmark-dev | Google Benchmark, for the benchmarks of the preset native
'

say() { printf '%s\n' "kvarium setup: $*"; }
fail() {
  printf '%s\n' "kvarium setup: $*" >&2
  exit 1
}

install=yes
wanted=''
for argument in "$@"; do
  case $argument in
    --no-install) install=no ;;
    build) wanted+=$build_packages ;;
    run) wanted+=$run_packages ;;
    test) wanted+=$test_packages ;;
    bench) wanted+=$bench_packages ;;
    *) fail "unknown argument '$argument'; usage: tools/setup.sh [--no-install] build|run|test|bench ..." ;;
  esac
done

# Not Debian's family: let the build look for itself if the tools are there, or say what to do.
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  if command -v cmake >/dev/null && command -v ninja >/dev/null; then
    say "no apt here; using the libraries that CMake finds"
    exit 0
  fi
  fail "no apt here. Install CMake, Ninja and a C++20 compiler, then the libraries with vcpkg (vcpkg.json lists them):
  vcpkg install && cmake --preset release -DCMAKE_TOOLCHAIN_FILE=\$VCPKG_ROOT/scripts/buildsystems/vcpkg.cmake"
fi

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
reasons=''
while IFS='|' read -r package reason; do
  package=${package// /}
  if [ -n "$package" ] && ! is_installed "$package"; then
    missing+=("$package")
    reasons+=$(printf '\n  %-22s%s' "$package" "${reason# }")
  fi
done <<<"$wanted"
[ ${#missing[@]} -gt 0 ] || exit 0

by_hand="apt-get install --no-install-recommends ${missing[*]}"
if [ "$install" = no ]; then
  fail "missing, and --no-install was given:$reasons
install them with: $by_hand"
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "missing:$reasons
there is no sudo here to install them with; as root, run: $by_hand"
  as_root=(sudo)
  [ -t 0 ] || as_root=(sudo -n) # nobody could type a password
fi

# Another program may hold apt's lock for a while: wait for it.
options=(-y --no-install-recommends -o DPkg::Lock::Timeout=300)
apt_get() {
  local command=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" "$@")
  if [ -t 1 ]; then "${command[@]}"; else "${command[@]}" -qq >/dev/null; fi # nobody watches: errors only
}

say "installing ${#missing[@]} packages, and what they need:$reasons"
# The lists of a fresh machine are empty and those of an old one are stale: fetch them only if the first try fails.
if ! apt_get install "${missing[@]}" 2>/dev/null; then
  say "fetching the package lists first"
  apt_get update || fail "apt-get update failed (see above); without it, nothing can be installed"
  apt_get install "${missing[@]}" || fail "apt-get failed (see above). By hand, as root: $by_hand"
fi
