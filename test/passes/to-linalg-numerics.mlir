// RUN: mlopt-opt %s -convert-mlopt-to-linalg -split-input-file | FileCheck %s
// RUN: mlopt-opt %s -convert-mlopt-to-linalg=accumulate=f64 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=WIDE

// Only the fast mode gives the compiler a licence, and never about infinities
// and NaN.
// CHECK-LABEL: func @modes(
// CHECK:         arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK:         arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK:         arith.addf %{{[^ ]*}}, %{{[^ ]*}} fastmath<reassoc,arcp,contract,afn> : f32
func.func @modes(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mlopt.add %a, %a : tensor<4xf32>
  %1 = mlopt.add %0, %0 {numerics = #mlopt.numerics<strict>} : tensor<4xf32>
  %2 = mlopt.add %1, %1 {numerics = #mlopt.numerics<fast>} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// bf16 accumulates in f32 (f64 in the oracle) and is rounded by a generic of
// its own.
// CHECK-LABEL: func @sum(
// CHECK:         linalg.fill {{.*}} tensor<4xf32>
// CHECK:         linalg.generic {{.*}}"reduction"
// CHECK:           arith.addf %{{.*}} : f32
// CHECK:         linalg.generic
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// WIDE-LABEL:  func @sum(
// WIDE:          arith.extf %{{.*}} : bf16 to f64
// WIDE:          arith.addf %{{.*}} : f64
// WIDE:          arith.truncf %{{.*}} : f64 to bf16
func.func @sum(%a: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %0 = mlopt.reduce add %a dims [1] : (tensor<4x8xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// A maximum is exact in its own type.
// CHECK-LABEL: func @max(
// CHECK:         linalg.fill
// CHECK:         arith.maximumf %{{.*}} : bf16
// CHECK-NOT:     truncf
// WIDE-LABEL:  func @max(
// WIDE:          arith.maximumf %{{.*}} : bf16
func.func @max(%a: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %0 = mlopt.reduce max %a dims [1] : (tensor<4x8xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// The strict order: 600 elements are padded to three rounds of 256 partials,
// which are halved eight times.
// CHECK-LABEL: func @strict(
// CHECK:         tensor.insert_slice %{{.*}} : tensor<4x600xf32> into tensor<4x768xf32>
// CHECK:         tensor.expand_shape {{.*}} : tensor<4x768xf32> into tensor<4x3x256xf32>
// CHECK:         iterator_types = ["parallel", "reduction", "parallel"]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [4, 128] [1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 128] [4, 128] [1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [4, 1] [1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 1] [4, 1] [1, 1]
// CHECK:         tensor.collapse_shape {{.*}} : tensor<4x1xf32> into tensor<4xf32>
func.func @strict(%a: tensor<4x600xf32>) -> tensor<4xf32> {
  %0 = mlopt.reduce add %a dims [1] {numerics = #mlopt.numerics<strict>}
      : (tensor<4x600xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Few elements need as many partials as the next power of two.
// CHECK-LABEL: func @strict_short(
// CHECK:         tensor.insert_slice %{{.*}} : tensor<4x3xf32> into tensor<4x4xf32>
// CHECK-COUNT-4: tensor.extract_slice
// CHECK-NOT:     tensor.extract_slice
func.func @strict_short(%a: tensor<3x4xf32>) -> tensor<4xf32> {
  %0 = mlopt.reduce add %a dims [0] {numerics = #mlopt.numerics<strict>}
      : (tensor<3x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An order of integers changes nothing.
// CHECK-LABEL: func @strict_int(
// CHECK:         linalg.generic
// CHECK-NOT:     tensor.extract_slice
func.func @strict_int(%a: tensor<4x600xi32>) -> tensor<4xi32> {
  %0 = mlopt.reduce add %a dims [1] {numerics = #mlopt.numerics<strict>}
      : (tensor<4x600xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A product accumulates in the type that dot names.
// CHECK-LABEL: func @dot(
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.mulf %{{.*}} : f32
// CHECK:         arith.addf %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// WIDE-LABEL:  func @dot(
// WIDE:          arith.mulf %{{.*}} : f64
func.func @dot(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>) -> tensor<4x2xf16> {
  %0 = mlopt.dot %a, %b contract [1] x [0]
      : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}

// -----

// A sum with 1 hides how exact a small tanh is; one with 0.5, a product, another
// reader and the strict mode do not.
// CHECK-LABEL: func @tanh_of_sums(
// CHECK:         math.tanh %{{.*}} {mlopt.absolute} : f32
// CHECK:         math.tanh %{{[^ ]*}} : f32
// CHECK:         math.tanh %{{[^ ]*}} : f32
// CHECK:         math.tanh %{{[^ ]*}} : f32
// CHECK:         math.tanh %{{[^ ]*}} : f16
func.func @tanh_of_sums(%a: tensor<4xf32>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) {
  %one = mlopt.constant dense<-1.0> : tensor<4xf32>
  %half = mlopt.constant dense<0.5> : tensor<4xf32>
  %one16 = mlopt.constant dense<1.0> : tensor<4xf16>
  %0 = mlopt.tanh %a : tensor<4xf32>
  %1 = mlopt.add %one, %0 : tensor<4xf32>
  %2 = mlopt.tanh %1 : tensor<4xf32>
  %3 = mlopt.add %2, %half : tensor<4xf32>
  %4 = mlopt.tanh %3 {numerics = #mlopt.numerics<strict>} : tensor<4xf32>
  %5 = mlopt.add %4, %one : tensor<4xf32>
  %6 = mlopt.tanh %5 : tensor<4xf32>
  %7 = mlopt.add %6, %one : tensor<4xf32>
  %8 = mlopt.mul %6, %one : tensor<4xf32>
  %9 = mlopt.tanh %h : tensor<4xf16>
  %10 = mlopt.add %9, %one16 : tensor<4xf16>
  return %1, %3, %5, %7, %8, %10 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>
}

// -----

// A rounding to 16 bits hides the last bits of what products, quotients and a
// sum of exponentials make of an exponential.
// CHECK-LABEL: func @softmax(
// CHECK:         math.exp %{{.*}} {mlopt.narrowed} : f32
// CHECK:         arith.divf %{{.*}} {mlopt.narrowed} : f32
func.func @softmax(%d: tensor<4x8xf32>) -> tensor<4x8xbf16> {
  %e = mlopt.exp %d : tensor<4x8xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %q = mlopt.div %e, %b : tensor<4x8xf32>
  %y = mlopt.convert %q : tensor<4x8xf32> -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// -----

// What is of 16 bits is rounded at once.
// CHECK-LABEL: func @small(
// CHECK:         math.exp %{{.*}} {mlopt.narrowed} : f16
// CHECK:         arith.divf %{{.*}} {mlopt.narrowed} : bf16
// CHECK:         arith.divf %{{[^{]*}} : bf16
func.func @small(%h: tensor<4xf16>, %b: tensor<4xbf16>) -> (tensor<4xf16>, tensor<4xbf16>) {
  %e = mlopt.exp %h : tensor<4xf16>
  %q = mlopt.div %b, %b : tensor<4xbf16>
  %r = mlopt.div %q, %b {numerics = #mlopt.numerics<strict>} : tensor<4xbf16>
  return %e, %r : tensor<4xf16>, tensor<4xbf16>
}

// -----

// Not where something else reads it: a logarithm, a difference, the caller.
// CHECK-LABEL: func @not_narrowed(
// CHECK-NOT:     mlopt.narrowed
func.func @not_narrowed(%d: tensor<4x8xf32>, %w: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xbf16>, tensor<4x8xf32>) {
  %e = mlopt.exp %d : tensor<4x8xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %l = mlopt.log %s : tensor<4xf32>
  %f = mlopt.exp %w : tensor<4x8xf32>
  %m = mlopt.sub %f, %w : tensor<4x8xf32>
  %y = mlopt.convert %m : tensor<4x8xf32> -> tensor<4x8xbf16>
  %q = mlopt.div %d, %w : tensor<4x8xf32>
  return %l, %y, %q : tensor<4xf32>, tensor<4x8xbf16>, tensor<4x8xf32>
}

// -----

// Nor in a sum of terms of either sign, nor of strict numerics, nor of another
// type.
// CHECK-LABEL: func @not_narrowed_either(
// CHECK-NOT:     mlopt.narrowed
func.func @not_narrowed_either(%d: tensor<4x8xf32>, %w: tensor<4x8xf32>, %h: tensor<4x8xf64>) -> (tensor<4xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %q = mlopt.div %d, %w : tensor<4x8xf32>
  %s = mlopt.reduce add %q dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %y = mlopt.convert %s : tensor<4xf32> -> tensor<4xbf16>
  %e = mlopt.exp %d {numerics = #mlopt.numerics<strict>} : tensor<4x8xf32>
  %z = mlopt.convert %e : tensor<4x8xf32> -> tensor<4x8xbf16>
  %f = mlopt.exp %h : tensor<4x8xf64>
  %v = mlopt.convert %f : tensor<4x8xf64> -> tensor<4x8xbf16>
  return %y, %z, %v : tensor<4xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>
}
