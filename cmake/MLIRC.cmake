# Finds MLIR 22 and defines `mlopt_mlir`: headers, and the C API over the shared
# libMLIR and libLLVM.
#
# The MLIRCAPI* targets name the static MLIR archives in their interface; linked
# as targets they would put a second MLIR beside libMLIR.so. So only their files
# are linked, and libMLIR.so stands for the rest.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)

add_library(mlopt_mlir INTERFACE)
target_include_directories(mlopt_mlir SYSTEM INTERFACE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

set(mlopt_capi)
foreach(name IR Transforms Conversion Interfaces
             ExecutionEngine Target Arith Bufferization Func Linalg Math SCF Tensor MemRef
             ControlFlow LLVM GPU NVVM UB Vector)
  list(APPEND mlopt_capi $<TARGET_FILE:MLIRCAPI${name}>)
endforeach()
target_link_libraries(mlopt_mlir INTERFACE
  -Wl,--start-group ${mlopt_capi} -Wl,--end-group MLIR LLVM)

set(MLOPT_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})
