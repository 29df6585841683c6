# The libraries, each found as a CMake package first and through pkg-config second. setup names the Debian package.

find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)

macro(kvarium_require name debian)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found. On Debian or Ubuntu: apt-get install ${debian}. "
                        "Elsewhere: see vcpkg.json.")
  endif()
endmacro()

find_package(fmt QUIET)
kvarium_require(fmt libfmt-dev)
find_package(nlohmann_json QUIET)
kvarium_require(nlohmann_json nlohmann-json3-dev)
find_package(Eigen3 QUIET)
kvarium_require(Eigen3 libeigen3-dev)
find_package(CLI11 QUIET)
kvarium_require(CLI11 libcli11-dev)
