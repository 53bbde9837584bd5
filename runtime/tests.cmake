# Tests of the runtime: none needs a GPU, LLVM or CUDA.

set(unit ${CMAKE_CURRENT_SOURCE_DIR}/../test/unit)
set(fuzz ${CMAKE_CURRENT_SOURCE_DIR}/../test/fuzz)

# The stand-in has the driver's soname: a program linked to it finds it when it
# opens libcuda.so.1.
add_library(mlopt_fake_cuda SHARED EXCLUDE_FROM_ALL ${unit}/fake_cuda.c)
set_target_properties(mlopt_fake_cuda PROPERTIES
  OUTPUT_NAME cuda SOVERSION 1
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake)
target_include_directories(mlopt_fake_cuda
  PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} PUBLIC ${unit})
target_link_libraries(mlopt_fake_cuda PRIVATE Threads::Threads)

add_library(mlopt_runtime_plans STATIC EXCLUDE_FROM_ALL
  ${unit}/runtime_plans.c)
target_include_directories(mlopt_runtime_plans PUBLIC ${unit})
target_link_libraries(mlopt_runtime_plans PUBLIC mlopt_artifact_write)

add_custom_target(mlopt-runtime-tests
  DEPENDS mlopt_runtime mlopt_runtime_static)
# ctest builds what it runs.
add_test(NAME runtime_build COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}
  --target mlopt-runtime-tests)
set_tests_properties(runtime_build PROPERTIES FIXTURES_SETUP runtime_built)
foreach(name runtime_test runtime_artifact_test runtime_exhaust_test
        runtime_failure_test)
  add_executable(${name} EXCLUDE_FROM_ALL
    ${unit}/${name}.c ${unit}/runtime_kernels.c)
  target_link_libraries(${name} PRIVATE mlopt_runtime_plans mlopt_fake_cuda)
  add_dependencies(mlopt-runtime-tests ${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED runtime_built)
endforeach()

find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND AND NOT MLOPT_SANITIZE)
  add_test(NAME runtime_python COMMAND ${Python3_EXECUTABLE}
    ${unit}/python_test.py ${CMAKE_BINARY_DIR})
  set_tests_properties(runtime_python PROPERTIES
    FIXTURES_REQUIRED runtime_built)
endif()

# It fails each allocation of host memory once.
target_link_options(runtime_exhaust_test PRIVATE
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc)

# Our declarations against the real cuda.h, where there is one.
find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND)
  add_executable(runtime_cuda_header EXCLUDE_FROM_ALL
    ${unit}/runtime_cuda_header.c)
  target_include_directories(runtime_cuda_header SYSTEM
    PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  add_dependencies(mlopt-runtime-tests runtime_cuda_header)
  add_test(NAME runtime_cuda_header COMMAND runtime_cuda_header)
  set_tests_properties(runtime_cuda_header PROPERTIES
    FIXTURES_REQUIRED runtime_built)
endif()

# A stranger's project: installs the runtime, builds the example against it,
# and runs that on a program written by the tests.
add_executable(runtime_write_plan EXCLUDE_FROM_ALL
  ${unit}/runtime_write_plan.c)
target_link_libraries(runtime_write_plan PRIVATE mlopt_runtime_plans)
add_dependencies(mlopt-runtime-tests runtime_write_plan)
add_test(NAME runtime_install COMMAND ${CMAKE_COMMAND}
  -DBUILD=${CMAKE_CURRENT_BINARY_DIR} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}
  -DCOMPILER=${CMAKE_C_COMPILER} -DWRITE_PLAN=$<TARGET_FILE:runtime_write_plan>
  -DFAKE=$<TARGET_FILE:mlopt_fake_cuda> -DSANITIZE=${MLOPT_SANITIZE}
  -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/CheckInstall.cmake)
set_tests_properties(runtime_install PROPERTIES FIXTURES_REQUIRED runtime_built)

# The same programs on a real GPU; run by hand. With what launching costs, and
# for long and failing runs.
foreach(name runtime_gpu runtime_gpu_stress)
  add_executable(${name} EXCLUDE_FROM_ALL
    ${unit}/${name}.c ${unit}/runtime_gpu_setting.c)
  target_link_libraries(${name} PRIVATE mlopt_runtime_plans)
  add_dependencies(mlopt-runtime-tests ${name})
endforeach()

# The bench times calls by this.
add_library(mlopt_calls SHARED EXCLUDE_FROM_ALL ${unit}/runtime_calls.c)
target_include_directories(mlopt_calls PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(mlopt_calls PRIVATE mlopt_runtime)
add_dependencies(mlopt-runtime-tests mlopt_calls)

# The loader's fuzzer: build mlopt-runtime-fuzz, then
#   runtime_write_plan SEEDS
#   test/fuzz/artifact_seeds.py SEEDS ARTIFACT...
#   artifact_fuzz CORPUS SEEDS -max_total_time=600 -max_len=8192
if(CMAKE_C_COMPILER_ID MATCHES Clang)
  add_executable(artifact_fuzz EXCLUDE_FROM_ALL ${fuzz}/artifact_fuzz.c)
  get_target_property(sources mlopt_runtime_objects SOURCES)
  target_sources(artifact_fuzz PRIVATE ${sources})
  target_compile_options(artifact_fuzz PRIVATE
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -g)
  target_link_options(artifact_fuzz PRIVATE
    -fsanitize=fuzzer,address,undefined)
  target_include_directories(artifact_fuzz PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR})
  target_include_directories(artifact_fuzz SYSTEM
    PRIVATE ${PROTOBUF_C_INCLUDE})
  target_link_libraries(artifact_fuzz
    PRIVATE ${PROTOBUF_C} Threads::Threads ${CMAKE_DL_LIBS})
  add_custom_target(mlopt-runtime-fuzz
    DEPENDS artifact_fuzz runtime_write_plan)
endif()
