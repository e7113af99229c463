# SPDX-License-Identifier: Apache-2.0
# The programs of the tests, and what CTest runs: shards of each program, the lit files, and checks of the installation.

set(PTOX_TEST_FOLDERS "" CACHE STRING "folders of tests/ that ptox_tests is built from; empty: all")
set(PTOX_TEST_SHARDS 8 CACHE STRING "parts that each test program is divided into, so that CTest can run them in parallel")
set(PTOX_TEST_FILTER "" CACHE STRING "the cases that CTest runs, as in --gtest_filter; empty: all")
set(PTOX_SECOND_CXX "" CACHE STRING "another compiler, with which the tests that compile kernels run again; empty: none")
option(PTOX_CHECK_HEADERS "compile every public header alone" OFF)
option(PTOX_REQUIRE_ALL "a test fails if a part that needs further packages was not built" OFF)
option(PTOX_CHECK_PACKAGE "test the installed package, and check the format of the sources" OFF)

if(PTOX_BUILD_TESTS)
  find_package(GTest QUIET)
  set(googletest_sources /usr/src/googletest) # of libgtest-dev; for targets of cross compilation it has no library
  if(NOT GTest_FOUND AND CMAKE_CROSSCOMPILING AND EXISTS ${googletest_sources})
    set(BUILD_GMOCK OFF CACHE BOOL "")
    set(INSTALL_GTEST OFF CACHE BOOL "")
    add_subdirectory(${googletest_sources} googletest EXCLUDE_FROM_ALL)
    set(GTest_FOUND TRUE)
  endif()
  if(NOT GTest_FOUND)
    message(STATUS "tests: skipped, GoogleTest not found (Debian: libgtest-dev)")
  endif()
endif()
if(NOT PTOX_BUILD_TESTS OR NOT GTest_FOUND)
  return()
endif()
enable_testing()

# ptox_add_test(NAME PROGRAM FILTER [PROPERTY VALUE]...): the cases of a program that a filter of GoogleTest selects.
# tests/tally.py reads the names of the cases from the output.
function(ptox_add_test name program filter)
  add_test(NAME ${name} COMMAND ${program} --gtest_color=no)
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800 ENVIRONMENT "GTEST_FILTER=${filter}" ${ARGN})
endfunction()

# ptox_add_shards(PROGRAM): one test of CTest for each shard of the program. Some suites of ptox_tests are tests of their
# own, because their cases share programs that they compile. Cases that start MPI jobs are two tests more: ranks poll for
# messages, so jobs of more ranks than cores become several times slower beside other work, and those that end well run
# alone. In the jobs of mpi_faults the ranks mostly wait for deadlines.
function(ptox_add_shards program)
  math(EXPR last "${PTOX_TEST_SHARDS} - 1")
  set(filter "*")
  if(PTOX_TEST_FILTER)
    set(filter ${PTOX_TEST_FILTER})
  elseif(program STREQUAL ptox_tests)
    set(suites "check_ranks.*" "check.*")
    if(NOT PTOX_TEST_FOLDERS)
      list(PREPEND suites "mpi_faults*")
    elseif(NOT "tool" IN_LIST PTOX_TEST_FOLDERS)
      set(suites)
    endif()
    set(number ${last})
    foreach(suite ${suites})
      math(EXPR number "${number} + 1")
      ptox_add_test(${program}/${number} ${program} "${suite}" COST 1000)
    endforeach()
    if(NOT PTOX_TEST_FOLDERS)
      math(EXPR number "${number} + 1")
      ptox_add_test(${program}/${number} ${program} "mpi*-mpi_faults*" RUN_SERIAL ON COST 2000)
    endif()
    list(JOIN suites ":" own)
    set(filter "-mpi*:${own}")
  endif()
  foreach(shard RANGE ${last})
    ptox_add_test(${program}/${shard} ${program} "${filter}")
    set_property(TEST ${program}/${shard} APPEND PROPERTY ENVIRONMENT
      GTEST_TOTAL_SHARDS=${PTOX_TEST_SHARDS} GTEST_SHARD_INDEX=${shard})
  endforeach()
endfunction()

set(sanitize_flag)
if(PTOX_SANITIZE)
  set(sanitize_flag -fsanitize=${PTOX_SANITIZE}) # for programs that tests compile
endif()

# Relative, so that the exclusion cannot match a folder above this tree.
file(GLOB_RECURSE sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tests/*.cpp)
list(FILTER sources EXCLUDE REGEX "^tests/(asm|docs|compile|consumer|cuda/gpu|fuzz|mpi|tool/programs|vendor)/")
if(PTOX_TEST_FOLDERS)
  list(JOIN PTOX_TEST_FOLDERS "|" folders)
  list(FILTER sources INCLUDE REGEX "^tests/(${folders})/")
endif()
if(NOT PTOX_BUILD_TOOL)
  list(FILTER sources EXCLUDE REGEX "^tests/(bench/|tool/(cxx|ranks|tool|vendor)_test)") # they start the tool
endif()
add_executable(ptox_tests ${sources} tools/ptox/launch_syntax.cpp tools/ptox/includes.cpp tools/ptox/suggest.cpp tools/ptox/tokens.cpp)
ptox_own(ptox_tests)
target_include_directories(ptox_tests PRIVATE lib tests tools/ptox)
target_include_directories(ptox_tests SYSTEM PRIVATE ${ptox_json})
target_compile_definitions(ptox_tests PRIVATE
  PTOX_VERSION="${PROJECT_VERSION}"
  PTOX_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  PTOX_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
  PTOX_CXX="${CMAKE_CXX_COMPILER}"
  PTOX_FLAGS="${sanitize_flag}"
  PTOX_LIBRARY="$<TARGET_FILE:ptox_pto>"
  PTOX_EXAMPLES="${PROJECT_BINARY_DIR}/bin/examples")
target_link_libraries(ptox_tests PRIVATE ptox::pto GTest::gtest_main)
ptox_optimise(ptox_tests -O1) # without optimisation, the oracles of the tests take five times as long
ptox_precompile(ptox_tests ${standard_headers} <gtest/gtest.h> <ptox/ptox.hpp> <pto/pto-inst.hpp>)
ptox_add_shards(ptox_tests)
if(PTOX_SECOND_CXX AND NOT PTOX_TEST_FILTER)
  foreach(shard RANGE 3)
    ptox_add_test(ptox_tests_second/${shard} ptox_tests "must_not_compile.*:cxx.*:check_ranks.a_broadcast*:*vendor*")
    set_property(TEST ptox_tests_second/${shard} APPEND PROPERTY ENVIRONMENT
      PTOX_TEST_CXX=${PTOX_SECOND_CXX} GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${shard})
  endforeach()
  add_test(NAME "headers with ${PTOX_SECOND_CXX}" COMMAND bash ${PROJECT_SOURCE_DIR}/tests/compilers/headers.sh ${PTOX_SECOND_CXX})
endif()
if(NOT PTOX_TEST_FOLDERS)
  ptox_mpi_tests()
  ptox_cuda_tests()
endif()
if(PTOX_BUILD_TOOL)
  target_compile_definitions(ptox_tests PRIVATE PTOX_TOOL="$<TARGET_FILE:ptox_tool>")
  set_property(SOURCE tests/tool/tool_test.cpp PROPERTY COMPILE_DEFINITIONS $<$<BOOL:${PTOX_ASM}>:PTOX_ASM>)
  add_dependencies(ptox_tests ptox_tool)
  if(NOT PTOX_TEST_FOLDERS OR "bench" IN_LIST PTOX_TEST_FOLDERS)
    add_dependencies(ptox_tests ptox_bench)
  endif()
endif()
set(examples)
if(NOT PTOX_TEST_FOLDERS OR PTOX_ASM)
  set(examples embedding_lookup moe paged_kv ping_pong ranks sparse_gradient)
endif()
foreach(name ${examples})
  add_executable(example_${name} examples/${name}.cpp)
  ptox_own(example_${name})
  target_link_libraries(example_${name} PRIVATE ptox::pto)
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/examples)
  add_dependencies(ptox_tests example_${name})
endforeach()

if(PTOX_ASM)
  file(GLOB sources CONFIGURE_DEPENDS tests/asm/*.cpp tests/docs/*.cpp)
  add_executable(ptox_asm_tests ${sources})
  ptox_own(ptox_asm_tests)
  target_include_directories(ptox_asm_tests PRIVATE lib tests tests/asm)
  target_compile_definitions(ptox_asm_tests PRIVATE
    PTOX_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PTOX_TOOL="$<TARGET_FILE:ptox_tool>"
    PTOX_EXAMPLES="${PROJECT_BINARY_DIR}/bin/examples"
    PTOX_CXX="${CMAKE_CXX_COMPILER}"
    PTOX_LIBRARY="$<TARGET_FILE:ptox_pto>"
    PTOX_FLAGS="${sanitize_flag}")
  target_link_libraries(ptox_asm_tests PRIVATE ptox_asm GTest::gtest_main)
  ptox_optimise(ptox_asm_tests -O1)
  ptox_precompile(ptox_asm_tests ${standard_headers} ${mlir_headers} <gtest/gtest.h>)
  ptox_add_shards(ptox_asm_tests)
  add_dependencies(ptox_asm_tests ptox_tool ptox_bench)
  if(TARGET ptox_tool_mpi)
    add_dependencies(ptox_asm_tests ptox_tool_mpi)
    set_property(SOURCE tests/asm/ranks_test.cpp PROPERTY COMPILE_DEFINITIONS PTOX_MPIRUN="${MPIEXEC_EXECUTABLE}")
  endif()
  foreach(name ${examples})
    add_dependencies(ptox_asm_tests example_${name})
  endforeach()
  # Every file of tests/lit is one case.
  add_test(NAME lit COMMAND python3 ${PTOX_LLVM_ROOT}/build/utils/lit/lit.py -vv -j 2 -D ptox=$<TARGET_FILE:ptox_tool>
    -D work=${PROJECT_BINARY_DIR}/lit ${PROJECT_SOURCE_DIR}/tests/lit)
  set_tests_properties(lit PROPERTIES TIMEOUT 1800 PROCESSORS 2)
endif()

# Includes follow the order of the layers.
add_test(NAME layers COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/layers/layers.py --check)
add_test(NAME "layers can fail" COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/layers/layers.py --check --forbid host engine)
set_tests_properties("layers can fail" PROPERTIES PASS_REGULAR_EXPRESSION "rows.hpp: includes lib/engine/.*: host may not include engine")

# The whole-tensor functions alone, for a machine that is emulated or a quick look.
file(GLOB sources CONFIGURE_DEPENDS tests/host/*.cpp tests/loops/*.cpp)
add_executable(ptox_host_tests EXCLUDE_FROM_ALL ${sources})
ptox_own(ptox_host_tests)
target_include_directories(ptox_host_tests PRIVATE lib tests)
target_compile_definitions(ptox_host_tests PRIVATE $<$<BOOL:${CMAKE_CROSSCOMPILING}>:PTOX_TESTS_EMULATED>)
target_link_libraries(ptox_host_tests PRIVATE ptox::pto GTest::gtest_main)
ptox_optimise(ptox_host_tests -O1)
ptox_precompile(ptox_host_tests ${standard_headers} <gtest/gtest.h> <ptox/ptox.hpp>)
if(CMAKE_CROSSCOMPILING)
  ptox_add_shards(ptox_host_tests)
endif()

# Every public header compiles alone, and may be included twice. Headers of pto/cuda are for nvcc only.
if(PTOX_CHECK_HEADERS)
  set(sources)
  foreach(header ${headers})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/include ${header})
    if(NOT name MATCHES "^pto/cuda/")
      file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers/${name}.cpp CONTENT "#include <${name}>\n#include <${name}>\n")
      list(APPEND sources ${PROJECT_BINARY_DIR}/headers/${name}.cpp)
    endif()
  endforeach()
  add_library(ptox_headers OBJECT ${sources})
  ptox_own(ptox_headers)
  ptox_optimise(ptox_headers -O0)
  target_link_libraries(ptox_headers PRIVATE ptox::pto)
endif()

# A part of ptox whose packages are missing is not built, and its tests are not there. ./test installs all packages.
if(PTOX_REQUIRE_ALL)
  foreach(part "both MPIs were found" "the assembler was built")
    add_test(NAME ${part} COMMAND ${CMAKE_COMMAND} -E env BUILD=${PROJECT_BINARY_DIR} ASSEMBLER=${PTOX_ASM}
      bash ${PROJECT_SOURCE_DIR}/tests/consumer/check.sh ${part})
  endforeach()
endif()

# The package works from a prefix that moved after the installation, and inside another project.
if(PTOX_CHECK_PACKAGE)
  set(check ${CMAKE_COMMAND} -E env ROOT=${PROJECT_SOURCE_DIR} BUILD=${PROJECT_BINARY_DIR}
    bash ${PROJECT_SOURCE_DIR}/tests/consumer/check.sh)
  add_test(NAME "install" COMMAND ${check} install)
  set_tests_properties("install" PROPERTIES FIXTURES_SETUP prefix)
  add_test(NAME "add_subdirectory" COMMAND ${check} add_subdirectory)
  add_test(NAME "format" COMMAND ${check} format)
  add_test(NAME "spelling" COMMAND ${check} spelling)
  set(steps "installed tool" "installed c++ and check" "find_package")
  if(PTOX_ASM)
    list(APPEND steps "installed assembler")
  endif()
  if(TARGET ptox_mpi)
    list(APPEND steps "consumer of MPI" "consumer without MPI")
  endif()
  foreach(step ${steps})
    add_test(NAME "${step}" COMMAND ${check} "${step}")
    set_tests_properties("${step}" PROPERTIES FIXTURES_REQUIRED prefix)
  endforeach()
  set_tests_properties("find_package" PROPERTIES FIXTURES_SETUP consumer)
  if(TARGET ptox_mpi)
    set_tests_properties("consumer of MPI" "consumer without MPI" PROPERTIES FIXTURES_REQUIRED "prefix;consumer")
  endif()
endif()
if(PTOX_BUILD_TOOL AND NOT PTOX_BUILD_ASSEMBLER)
  add_test(NAME "tool without assembler" COMMAND ${CMAKE_COMMAND} -E env ROOT=${PROJECT_SOURCE_DIR}
    BUILD=${PROJECT_BINARY_DIR} bash ${PROJECT_SOURCE_DIR}/tests/consumer/check.sh "tool without assembler")
endif()
