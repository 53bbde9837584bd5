#!/usr/bin/env bash
# Makes a checkout ready on Debian 12: installs the packages that are missing
# (as root, or with sudo), configures and builds into build/. Where everything
# is there already it takes a second or two.
#
#   tools/setup.sh            the tools and the tests, with Clang
#   tools/setup.sh PRESET     another build preset of CMakePresets.json, into
#                             build-PRESET/
set -euo pipefail
cd "$(dirname "$0")/.."

# What each is for: compilers; LLVM and MLIR, their tools (mlir-opt, FileCheck,
# lit); the build; the .npz container; the artifact's schema; what LLVM's CMake
# files ask for.
packages=(
  clang-22 lld-22 libclang-rt-22-dev g++
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools
  cmake ninja-build python3
  libminizip-dev
  libprotobuf-c-dev protobuf-c-compiler
  zlib1g-dev libzstd-dev
)

say() { printf '== %s\n' "$*"; }

missing_packages() {
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" \
    2>/dev/null | awk '$2 == "installed" { print $1 }' | sort -u |
    comm -13 - <(printf '%s\n' "${packages[@]}" | sort -u)
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: expecting LLVM/MLIR 22, CMake, Ninja, minizip"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" = 0 ] && return
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get update -qq
  as_root apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# Ninja runs CMake again by itself when a CMakeLists.txt has changed.
build() {
  local preset=$1 folder=build
  [ "$preset" = release ] || folder=build-$preset
  if [ ! -f "$folder/build.ninja" ]; then
    say "configuring $folder/"
    local log
    if ! log=$(cmake --preset "$preset" 2>&1); then
      printf '%s\n' "$log" >&2
      exit 1
    fi
  fi
  say "building $folder/"
  cmake --build --preset "$preset"
}

install_packages
build "${1:-release}"
