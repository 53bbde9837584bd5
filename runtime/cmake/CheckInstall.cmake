# Installs the runtime from BUILD, builds the example of SOURCE against what was
# installed, with CMake and with pkg-config, and runs it on a program that
# WRITE_PLAN writes, with FAKE as the driver.
set(prefix ${BUILD}/check-install)
file(REMOVE_RECURSE ${prefix})
file(MAKE_DIRECTORY ${prefix}/plans)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(flags)
if(SANITIZE)
  set(flags -fsanitize=address,undefined)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --component runtime --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE}/example -B ${prefix}/example
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_COMPILER=${COMPILER}
    -DCMAKE_C_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${prefix}/example)
run(${WRITE_PLAN} ${prefix}/plans)

# Without a driver the example says so.
set(ENV{MLOPT_LIBCUDA} ${prefix}/nothing.so)
execute_process(COMMAND ${prefix}/example/run_program ${prefix}/plans/0.mlopt
                RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 1 OR NOT output MATCHES "cannot open the NVIDIA driver")
  message(FATAL_ERROR "run_program without a driver: ${result}\n${output}")
endif()

# The stand-in has none of the program's kernels: found by name, refused.
set(ENV{MLOPT_LIBCUDA} ${FAKE})
set(ENV{XDG_CACHE_HOME} ${prefix}/cache)
execute_process(COMMAND ${prefix}/example/run_program ${prefix}/plans/0.mlopt
                RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 1 OR NOT output MATCHES "kernel add1 of module m")
  message(FATAL_ERROR "run_program with the stand-in: ${result}\n${output}")
endif()

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${prefix}/*.pc)
  get_filename_component(folder "${pc}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(sh -c "${COMPILER} ${flags} ${SOURCE}/example/run_program.c -o ${prefix}/by_hand $(pkg-config --define-variable=prefix=${prefix} --cflags --libs mlopt_runtime)")
endif()
message("1 passed, 0 failed")
