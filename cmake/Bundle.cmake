# The target `bundle`: mlopt-bundle.tar.xz, for machines that have an NVIDIA
# driver and glibc and nothing else of what mlopt is built from.
#
# In it LLVM, MLIR, libstdc++, minizip, zlib and zstd are linked statically, and
# the tools are one program; glibc is not, so that the runtime can open the
# driver, and the CPU's JIT finds libc's functions.

# The tools, their mains renamed to what tools/mlopt.c calls them by.
set(tools)
foreach(tool compile opt run)
  set(library mlopt_bundle_${tool})
  add_library(${library} OBJECT EXCLUDE_FROM_ALL tools/mlopt-${tool}.c)
  target_compile_definitions(${library} PRIVATE main=mloptMain_${tool})
  target_compile_options(${library} PRIVATE -Wno-missing-prototypes)
  target_link_libraries(${library} PRIVATE MLOptTools)
  list(APPEND tools $<TARGET_OBJECTS:${library}>)
endforeach()

# Objects, and not their libraries, which would bring libMLIR.so.
add_executable(mlopt EXCLUDE_FROM_ALL tools/mlopt.c ${tools}
  $<TARGET_OBJECTS:MLOptTools> $<TARGET_OBJECTS:MLOptPasses>
  $<TARGET_OBJECTS:MLOptDialect> $<TARGET_OBJECTS:MLOptBridge>)
set_target_properties(mlopt PROPERTIES LINKER_LANGUAGE CXX)

# All archives there are: the linker takes from them what is called for, which
# dialect/bridge/Upstream.cpp decides.
file(GLOB archives
  ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
target_link_libraries(mlopt PRIVATE mlopt_artifact_write
  -Wl,--start-group ${archives} -Wl,--end-group
  -l:libminizip.a -l:libz.a -l:libzstd.a m ${CMAKE_DL_LIBS})

# lld takes two seconds, and merges functions that came out equal.
find_program(MLOPT_LLD NAMES ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR} NO_CACHE)
target_link_options(mlopt PRIVATE -no-pie -static-libstdc++ -static-libgcc
  -Wl,--gc-sections -Wl,-s
  $<$<BOOL:${MLOPT_LLD}>:-fuse-ld=lld;-Wl,--icf=all>)

# One GPU's tests of the runtime, and the programs that the tests run.
set(bundle ${CMAKE_BINARY_DIR}/mlopt-bundle)
file(GLOB programs CONFIGURE_DEPENDS test/run/*.mlir)
set(scripts cmake/PackBundle.cmake test/run_bundle.sh test/bundle.md)
add_custom_command(OUTPUT ${bundle}.tar.xz
  COMMAND ${CMAKE_COMMAND} -DBUNDLE=${bundle} -DBUILD=${CMAKE_BINARY_DIR}
    -DSOURCE=${CMAKE_SOURCE_DIR} -DTOOL=$<TARGET_FILE:mlopt>
    -DGPU_TEST=$<TARGET_FILE:runtime_gpu> "-DPROGRAMS=${programs}"
    -P ${CMAKE_SOURCE_DIR}/cmake/PackBundle.cmake
  DEPENDS mlopt runtime_gpu mlopt_runtime mlopt_runtime_static ${programs}
    ${scripts}
  COMMENT "Packing mlopt-bundle.tar.xz"
  VERBATIM)
add_custom_target(bundle DEPENDS ${bundle}.tar.xz)
