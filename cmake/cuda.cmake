# SPDX-License-Identifier: Apache-2.0
# What is built where nvcc is? ptox::cuda, and kernels compiled for it.

# A project that has this one inside it waits for nvcc only when it says so.
set(ptox_build_cuda OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(ptox_build_cuda AUTO)
endif()
set(PTOX_BUILD_CUDA ${ptox_build_cuda} CACHE STRING "build ptox::cuda: ON, OFF, or AUTO where nvcc is found")
set(PTOX_CUDA OFF)
if(PTOX_BUILD_CUDA AND NOT CMAKE_CROSSCOMPILING AND NOT PTOX_SANITIZE)
  set(CMAKE_CUDA_ARCHITECTURES 80 90 CACHE STRING "GPUs to compile for")
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(PTOX_NVCC nvcc HINTS /usr/local/cuda/bin)
    if(PTOX_NVCC)
      set(CMAKE_CUDA_COMPILER ${PTOX_NVCC} CACHE FILEPATH "nvcc")
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(PTOX_CUDA ON)
  elseif(PTOX_BUILD_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA: skipped, nvcc not found; Device(target::cuda) says so")
  else()
    message(FATAL_ERROR "PTOX_BUILD_CUDA is ${PTOX_BUILD_CUDA} and nvcc is not found")
  endif()
endif()

# A library that drives GPUs: programs that link it ask for its one symbol, so that it registers itself. Kernels of such
# programs are compiled by nvcc with what it needs.
if(PTOX_CUDA)
  file(GLOB sources CONFIGURE_DEPENDS lib/cuda/*.cpp lib/cuda/*.cu)
  add_library(ptox_cuda STATIC ${sources})
  add_library(ptox::cuda ALIAS ptox_cuda)
  target_include_directories(ptox_cuda PRIVATE lib)
  target_link_libraries(ptox_cuda PUBLIC ptox_pto CUDA::cudart_static)
  target_link_options(ptox_cuda INTERFACE LINKER:-u,ptox_cuda_accelerator)
  # CMake 3.25 does not know which standards new versions of nvcc have.
  target_compile_options(ptox_cuda PUBLIC "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr>")
  set_target_properties(ptox_cuda PROPERTIES EXPORT_NAME cuda POSITION_INDEPENDENT_CODE ON
    CXX_EXTENSIONS OFF ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endif()

# ptox_gpu_program(TARGET SOURCE...): a program whose kernels, in .cu files, run on a GPU.
function(ptox_gpu_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE ptox_cuda)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# Examples and tests, compiled everywhere nvcc is and run where a GPU is.
function(ptox_cuda_tests)
  if(NOT PTOX_CUDA)
    return()
  endif()
  foreach(name embedding_lookup moe paged_kv ping_pong sparse_gradient)
    # A copy: the original is the host compiler's.
    configure_file(examples/${name}.cpp ${PROJECT_BINARY_DIR}/cuda/${name}.cu COPYONLY)
    ptox_gpu_program(example_${name}_cuda ${PROJECT_BINARY_DIR}/cuda/${name}.cu)
    target_include_directories(example_${name}_cuda PRIVATE examples)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS tests/cuda/gpu/*.cu tests/cuda/gpu/*.cpp)
  ptox_gpu_program(ptox_cuda_tests ${sources} tests/random/case.cpp tests/random/layout.cpp tests/random/outcome.cpp)
  target_include_directories(ptox_cuda_tests PRIVATE lib tests)
  target_link_libraries(ptox_cuda_tests PRIVATE GTest::gtest)
endfunction()

# What `ptox bench --gpu` goes on with.
function(ptox_gpu_bench)
  if(NOT PTOX_CUDA)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS bench/gpu/*.cpp bench/gpu/*.cu)
  ptox_gpu_program(ptox_gpu_bench ${sources} bench/python.cpp bench/turns.cpp bench/result.cpp bench/json.cpp
    bench/canvas.cpp bench/indices.cpp tools/ptox/process.cpp tools/ptox/installation.cpp)
  target_include_directories(ptox_gpu_bench PRIVATE . lib tools/ptox)
  set_target_properties(ptox_gpu_bench PROPERTIES OUTPUT_NAME ptox-gpu-bench)
endfunction()
