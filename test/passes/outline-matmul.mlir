// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(mlopt-outline-kernels{wgmma=true})' | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(mlopt-outline-kernels{wgmma=true})' | mlopt-opt -split-input-file | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -mlopt-outline-kernels | FileCheck %s --check-prefix=OFF
// OFF-NOT: matmul

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#bt = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Few tiles: small ones give work to more processors. Maps list the contiguous
// dimension first; boxes are 64 of it by what a tile has.
// CHECK-LABEL: llvm.func @narrow_kernel_0
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    mlopt.schedule = {alternate, band = 4 : i64, family = "matmul", stages = 12 : i64, tile = array<i64: 64, 64, 64>}
// CHECK:       func.func @narrow
// CHECK:         %[[BLOCKS:.*]] = arith.constant 48 : index
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[BLOCKS]],
// CHECK-SAME:    {box = array<i64: 64, 64>, dims = array<i64: 256, 512>, strides = array<i64: 512>, swizzle = 128 : i64, type = "bf16"}
// CHECK-SAME:    {box = array<i64: 64, 64>, dims = array<i64: 384, 256>, strides = array<i64: 768>, swizzle = 128 : i64, type = "bf16"}
// CHECK-SAME:    {box = array<i64: 32, 64>, dims = array<i64: 384, 512>, strides = array<i64: 1536>, swizzle = 128 : i64, type = "f32"}
func.func @narrow(%a: tensor<512x256xbf16>, %b: tensor<256x384xbf16>) -> tensor<512x384xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<256x384xbf16>) -> tensor<512x384xf32> {
    %z = arith.constant dense<0.0> : tensor<512x384xf32>
    %1 = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<512x256xbf16>, tensor<256x384xbf16>) outs(%z : tensor<512x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<512x384xf32>
    mlopt.yield %1 : tensor<512x384xf32>
  }
  return %0 : tensor<512x384xf32>
}

// -----

// Many tiles: the wide one, on all processors. Several loops of k that lie next
// to each other are one, and the order of the body's operands does not matter.
#a = affine_map<(m, n, k, l) -> (m, k, l)>
#b = affine_map<(m, n, k, l) -> (n, k, l)>
#c = affine_map<(m, n, k, l) -> (m, n)>
// CHECK-LABEL: llvm.func @wide_kernel_0
// CHECK-SAME:    tile = array<i64: 128, 256, 64>
// CHECK:       func.func @wide
// CHECK:         arith.constant 132 : index
// CHECK:         gpu.launch_func
// CHECK-SAME:    dims = array<i64: 1024, 4096>, strides = array<i64: 2048>
func.func @wide(%a: tensor<4096x4x256xf16>, %b: tensor<4096x4x256xf16>) -> tensor<4096x4096xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<4096x4x256xf16>, %y = %b : tensor<4096x4x256xf16>) -> tensor<4096x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<4096x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %y : tensor<4096x4x256xf16>, tensor<4096x4x256xf16>) outs(%z : tensor<4096x4096xf32>) {
    ^bb0(%p: f16, %q: f16, %s: f32):
      %2 = arith.extf %q : f16 to f32
      %3 = arith.extf %p : f16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %4, %s : f32
      linalg.yield %5 : f32
    } -> tensor<4096x4096xf32>
    mlopt.yield %1 : tensor<4096x4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}

// -----

// An accumulator that starts from something else is no product.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @from_one_kernel_0
// CHECK-NOT:   family = "matmul"
func.func @from_one(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<64x64xbf16>, %y = %b : tensor<64x64xbf16>) -> tensor<64x64xf32> {
    %z = arith.constant dense<1.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<64x64xf32>
    mlopt.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// Nor is one whose result an epilogue reads in another place.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>
// CHECK-LABEL: llvm.func @elsewhere_kernel_0
// CHECK-NOT:   family = "matmul"
func.func @elsewhere(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<64x64xbf16>, %y = %b : tensor<64x64xbf16>) -> tensor<64x64xf32> {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %6 = linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%1, %1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %7 = arith.addf %p, %q : f32
      linalg.yield %7 : f32
    } -> tensor<64x64xf32>
    mlopt.yield %6 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// What follows the product reads a factor too: it is passed by a map and, once
// more, by its address.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: llvm.func @twice_kernel_0
// CHECK-SAME:    (%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {{{[^}]*}}grid_constant}
// CHECK-SAME:    family = "matmul"
// CHECK:       func.func @twice
// CHECK:         gpu.launch_func {{.*}} args(%[[A:[^ ]*]] : memref<64x64xbf16>, %{{[^ ]*}} : memref<64x64xbf16>, %[[A]] : memref<64x64xbf16>,
// CHECK-SAME:    mlopt.tensor_maps = [unit, {{{[^}]*}}}, {{{[^}]*}}}, {{{[^}]*}}}]
func.func @twice(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<64x64xbf16>, %y = %b : tensor<64x64xbf16>) -> tensor<64x64xf32> {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %6 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%1, %x : tensor<64x64xf32>, tensor<64x64xbf16>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%p: f32, %q: bf16, %s: f32):
      %7 = arith.extf %q : bf16 to f32
      %8 = arith.addf %p, %7 : f32
      linalg.yield %8 : f32
    } -> tensor<64x64xf32>
    mlopt.yield %6 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// f32 is rounded to TF32, so the program must allow it; 8-bit elements are
// multiplied where the rows of both factors run along k.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @exact_kernel_0
// CHECK-NOT:   family = "matmul"
// CHECK-LABEL: llvm.func @approximate_kernel_0
// CHECK-SAME:    family = "matmul"
// CHECK-SAME:    tile = array<i64: {{[0-9]+}}, {{[0-9]+}}, 32>
// CHECK:       func.func @approximate
// CHECK:         box = array<i64: 32, {{[^}]*}} type = "tf32"
// CHECK:         box = array<i64: 32, {{[^}]*}} type = "tf32"
// CHECK:         type = "f32"
func.func @exact(%a: tensor<512x256xf32>, %b: tensor<384x256xf32>) -> tensor<512x384xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<512x256xf32>, %y = %b : tensor<384x256xf32>) -> tensor<512x384xf32> {
    %z = arith.constant dense<0.0> : tensor<512x384xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<512x256xf32>, tensor<384x256xf32>) outs(%z : tensor<512x384xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %4 = arith.mulf %p, %q : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<512x384xf32>
    mlopt.yield %1 : tensor<512x384xf32>
  }
  return %0 : tensor<512x384xf32>
}
func.func @approximate(%a: tensor<512x256xf32>, %b: tensor<384x256xf32>) -> tensor<512x384xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<512x256xf32>, %y = %b : tensor<384x256xf32>) -> tensor<512x384xf32> {
    %z = arith.constant dense<0.0> : tensor<512x384xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<512x256xf32>, tensor<384x256xf32>) outs(%z : tensor<512x384xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %4 = arith.mulf %p, %q fastmath<reassoc,arcp,contract,afn> : f32
      %5 = arith.addf %s, %4 fastmath<reassoc,arcp,contract,afn> : f32
      linalg.yield %5 : f32
    } -> tensor<512x384xf32>
    mlopt.yield %1 : tensor<512x384xf32>
  }
  return %0 : tensor<512x384xf32>
}

// -----

// Of 1,024 tiles, the last 100 are no round for 132 blocks: they share them, and
// send sums through a buffer, behind flags that are cleared. 1,056 tiles are
// eight rounds, and the sums of a strict product are one chain.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @tail_kernel_0
// CHECK-SAME:    !llvm.ptr, %{{[^:]*}}: !llvm.ptr)
// CHECK-SAME:    tail, tile = array<i64: 128, 256, 64>
// CHECK:       func.func @tail
// CHECK-DAG:     %[[SUMS:.*]] = memref.alloc() : memref<100x128x256xf32>
// CHECK-DAG:     %[[FLAGS:.*]] = memref.alloc() : memref<200xi32>
// CHECK:         gpu.memset %[[FLAGS]], %{{.*}} : memref<200xi32>, i32
// CHECK:         gpu.launch_func
// CHECK-SAME:      %[[SUMS]] : {{[^,]*}}, %[[FLAGS]] : {{.*}}mlopt.num_outputs = 3
// CHECK-LABEL: llvm.func @full_kernel_0
// CHECK-NOT:   tail
// CHECK:       func.func @full
// CHECK-NOT:     gpu.memset
// CHECK-LABEL: llvm.func @chain_kernel_0
// CHECK-NOT:   tail
// CHECK:       func.func @chain
func.func @tail(%a: tensor<8192x16384xbf16>, %b: tensor<4096x16384xbf16>) -> tensor<8192x4096xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<8192x16384xbf16>, %y = %b : tensor<4096x16384xbf16>) -> tensor<8192x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<8192x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<8192x16384xbf16>, tensor<4096x16384xbf16>) outs(%z : tensor<8192x4096xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<8192x4096xf32>
    mlopt.yield %1 : tensor<8192x4096xf32>
  }
  return %0 : tensor<8192x4096xf32>
}
func.func @full(%a: tensor<8448x16384xbf16>, %b: tensor<4096x16384xbf16>) -> tensor<8448x4096xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<8448x16384xbf16>, %y = %b : tensor<4096x16384xbf16>) -> tensor<8448x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<8448x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<8448x16384xbf16>, tensor<4096x16384xbf16>) outs(%z : tensor<8448x4096xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<8448x4096xf32>
    mlopt.yield %1 : tensor<8448x4096xf32>
  }
  return %0 : tensor<8448x4096xf32>
}
func.func @chain(%a: tensor<8192x16384xbf16>, %b: tensor<4096x16384xbf16>) -> tensor<8192x4096xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<8192x16384xbf16>, %y = %b : tensor<4096x16384xbf16>) -> tensor<8192x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<8192x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<8192x16384xbf16>, tensor<4096x16384xbf16>) outs(%z : tensor<8192x4096xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 {mlopt.ordered} : f32
      linalg.yield %5 : f32
    } -> tensor<8192x4096xf32>
    mlopt.yield %1 : tensor<8192x4096xf32>
  }
  return %0 : tensor<8192x4096xf32>
}
