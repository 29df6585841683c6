# What every target of the project is compiled with.

find_program(KVARIUM_CCACHE ccache)
if(KVARIUM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KVARIUM_CCACHE}")
endif()

add_library(kvarium_options INTERFACE)
target_include_directories(kvarium_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_features(kvarium_options INTERFACE cxx_std_20)
target_compile_options(kvarium_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping copies in "x" + std::string at -O2 and above, wrongly (its bug 105651, mended in 13).
  target_compile_options(kvarium_options INTERFACE -Wno-restrict)
endif()
if(KVARIUM_WERROR)
  target_compile_options(kvarium_options INTERFACE -Werror)
endif()
if(KVARIUM_SANITIZE)
  target_compile_options(kvarium_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=undefined)
  target_link_options(kvarium_options INTERFACE -fsanitize=address,undefined)
endif()
if(KVARIUM_TSAN)  # only kernels are compiled for it: see cuda/simt/CMakeLists.txt
  target_link_options(kvarium_options INTERFACE -fsanitize=thread)
endif()
if(KVARIUM_NATIVE)
  target_compile_options(kvarium_options INTERFACE -march=native)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 takes a variable of its own AVX-512 header for uninitialized (its bug 105593).
    target_compile_options(kvarium_options INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
endif()
