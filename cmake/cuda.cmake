# nvcc, where there is one: the kernels for a device. Without it, they are compiled for the emulator only.
set(KVARIUM_DEVICE OFF)
if(KVARIUM_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT CMAKE_CUDA_ARCHITECTURES)  # A100 and H100 or H200, and code that newer devices translate
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
    endif()
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25.1 does not know nvcc's flag
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    if(KVARIUM_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER "${KVARIUM_CCACHE}")
    endif()
    set(KVARIUM_DEVICE ON)
    message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER} compiles the kernels for ${CMAKE_CUDA_ARCHITECTURES}")
  else()
    message(STATUS "CUDA: no nvcc found; the kernels are compiled for the emulator only")
  endif()
endif()

# What code for a device is compiled with: warnings are errors, and so are registers that spill to memory.
add_library(kvarium_device_options INTERFACE)
target_include_directories(kvarium_device_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(kvarium_device_options INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra -Werror=all-warnings -Xptxas=-warn-spills,-Werror>)
