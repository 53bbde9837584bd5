// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s

// wgmma takes 8-bit elements only where rows run along k: a factor that lies
// otherwise is transposed by a kernel of its own, and the ledger says so.
// CHECK-LABEL: @eight_bits
// CHECK:         kernels = 2
// CHECK:         mlopt.fusion (%{{.*}} = %arg1 :
// CHECK:           mlopt.transpose {{.*}} perm [0, 2, 1]
// CHECK:         mlopt.fusion
// CHECK:           mlopt.dot {{.*}} batch [0] x [0] contract [2] x [2]
// CHECK:         mlopt.ledger = [{bytes = 589824 : i64, operand = 1 : i64, reason = "factor"}]
func.func @eight_bits(%a: tensor<3x512x256xi8>, %b: tensor<3x256x384xi8>) -> tensor<3x512x384xi32> {
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<3x512x256xi8>, tensor<3x256x384xi8>) -> tensor<3x512x384xi32>
  return %0 : tensor<3x512x384xi32>
}

// So is f32 where it may be rounded to TF32, one side of two.
// CHECK-LABEL: @rounded
// CHECK:         kernels = 2
// CHECK:         mlopt.dot {{.*}} contract [1] x [0]
func.func @rounded(%a: tensor<256x512xf32>, %b: tensor<256x384xf32>) -> tensor<512x384xf32> {
  %0 = mlopt.dot %a, %b contract [0] x [0] {numerics = #mlopt.numerics<fast>} : (tensor<256x512xf32>, tensor<256x384xf32>) -> tensor<512x384xf32>
  return %0 : tensor<512x384xf32>
}

// One of two such factors may lie either way, left or right.
// CHECK-LABEL: @rounded_left
// CHECK:         kernels = 1
func.func @rounded_left(%a: tensor<256x512xf32>, %b: tensor<384x256xf32>) -> tensor<512x384xf32> {
  %0 = mlopt.dot %a, %b contract [0] x [1] {numerics = #mlopt.numerics<fast>} : (tensor<256x512xf32>, tensor<384x256xf32>) -> tensor<512x384xf32>
  return %0 : tensor<512x384xf32>
}

// CHECK-LABEL: @rounded_right
// CHECK:         kernels = 1
func.func @rounded_right(%a: tensor<512x256xf32>, %b: tensor<256x384xf32>) -> tensor<512x384xf32> {
  %0 = mlopt.dot %a, %b contract [1] x [0] {numerics = #mlopt.numerics<fast>} : (tensor<512x256xf32>, tensor<256x384xf32>) -> tensor<512x384xf32>
  return %0 : tensor<512x384xf32>
}

// Not where TMA does not take its rows, nor where products share the other one,
// which is the left one of all then.
// CHECK-LABEL: @rounded_short
// CHECK:         kernels = 2
// CHECK:         mlopt.transpose {{.*}} tensor<256x381xf32>
func.func @rounded_short(%a: tensor<512x256xf32>, %b: tensor<256x381xf32>) -> tensor<512x381xf32> {
  %0 = mlopt.dot %a, %b contract [1] x [0] {numerics = #mlopt.numerics<fast>} : (tensor<512x256xf32>, tensor<256x381xf32>) -> tensor<512x381xf32>
  return %0 : tensor<512x381xf32>
}

// CHECK-LABEL: @rounded_shared
// CHECK-COUNT-2: mlopt.transpose {{.*}} tensor<256x384xf32>
func.func @rounded_shared(%a: tensor<512x256xf32>, %b: tensor<256x384xf32>, %c: tensor<256x384xf32>) -> (tensor<512x384xf32>, tensor<512x384xf32>) {
  %0 = mlopt.dot %a, %b contract [1] x [0] {numerics = #mlopt.numerics<fast>} : (tensor<512x256xf32>, tensor<256x384xf32>) -> tensor<512x384xf32>
  %1 = mlopt.dot %a, %c contract [1] x [0] {numerics = #mlopt.numerics<fast>} : (tensor<512x256xf32>, tensor<256x384xf32>) -> tensor<512x384xf32>
  return %0, %1 : tensor<512x384xf32>, tensor<512x384xf32>
}

// Rows that TMA does not take are copied with zeros behind them, where the
// product is large; a factor whose rows lie the other way, too.
// CHECK-LABEL: @padded
// CHECK:         kernels = 3
// CHECK:         mlopt.pad %{{.*}}, %{{.*}} low [0, 0] high [0, 55] interior [0, 0] : tensor<512x777xbf16>
// CHECK:         mlopt.pad %{{.*}}, %{{.*}} low [0, 0] high [55, 0] interior [0, 0] : tensor<777x1024xbf16>
// CHECK:         mlopt.dot {{.*}} contract [1] x [0] : (tensor<512x832xbf16>, tensor<832x1024xbf16>) -> tensor<512x1024xbf16>
func.func @padded(%a: tensor<512x777xbf16>, %b: tensor<777x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<512x777xbf16>, tensor<777x1024xbf16>) -> tensor<512x1024xbf16>
  return %0 : tensor<512x1024xbf16>
}

// Rows of both that run along k are copied by one kernel, and read where they
// lie then.
// CHECK-LABEL: @joined
// CHECK:         kernels = 2
// CHECK:         mlopt.pad {{.*}} -> tensor<512x832xbf16>
// CHECK:         mlopt.pad {{.*}} -> tensor<1024x832xbf16>
// CHECK:         mlopt.concat {{.*}} dim 0 : (tensor<512x832xbf16>, tensor<1024x832xbf16>) -> tensor<1536x832xbf16>
// CHECK:         mlopt.fusion
// CHECK:         mlopt.slice {{.*}} starts [512, 0] limits [1536, 832]
// CHECK:         mlopt.dot {{.*}} contract [1] x [1] : (tensor<512x832xbf16>, tensor<1024x832xbf16>) -> tensor<512x1024xbf16>
func.func @joined(%a: tensor<512x777xbf16>, %b: tensor<1024x777xbf16>) -> tensor<512x1024xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<512x777xbf16>, tensor<1024x777xbf16>) -> tensor<512x1024xbf16>
  return %0 : tensor<512x1024xbf16>
}

// Each batch, and rows of bytes.
// CHECK-LABEL: @padded_batches
// CHECK:         mlopt.pad {{.*}} high [0, 0, 15]
// CHECK:         mlopt.dot {{.*}} (tensor<8x256x1024xi8>, tensor<8x256x1024xi8>)
func.func @padded_batches(%a: tensor<8x256x1009xi8>, %b: tensor<8x256x1009xi8>) -> tensor<8x256x256xi32> {
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [2] : (tensor<8x256x1009xi8>, tensor<8x256x1009xi8>) -> tensor<8x256x256xi32>
  return %0 : tensor<8x256x256xi32>
}

// Both at once, of bytes that lie the other way: one kernel transposes and pads.
// CHECK-LABEL: @laid_and_padded
// CHECK:         kernels = 2
// CHECK:         mlopt.transpose
// CHECK:         mlopt.pad
// CHECK:         mlopt.pad
// CHECK:         mlopt.concat
// CHECK:         mlopt.fusion
// CHECK:         mlopt.dot {{.*}} contract [1] x [1] : (tensor<511x1024xf8E4M3FN>, tensor<769x1024xf8E4M3FN>)
func.func @laid_and_padded(%a: tensor<511x1021xf8E4M3FN>, %b: tensor<1021x769xf8E4M3FN>) -> tensor<511x769xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<511x1021xf8E4M3FN>, tensor<1021x769xf8E4M3FN>) -> tensor<511x769xbf16>
  return %0 : tensor<511x769xbf16>
}

// Padding alone would not do: such a factor is transposed or left alone.
// CHECK-LABEL: @neither
// CHECK-NOT:     pad
func.func @neither(%a: tensor<64x1021xi8>, %b: tensor<1021x2048xi8>) -> tensor<64x2048xi32> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<64x1021xi8>, tensor<1021x2048xi8>) -> tensor<64x2048xi32>
  return %0 : tensor<64x2048xi32>
}

// Rows of whole words would be copied as they are, a few elements at a time.
// CHECK-LABEL: @words
// CHECK:         mlopt.pad
func.func @words(%a: tensor<6842x738xbf16>, %b: tensor<178x738xbf16>) -> tensor<6842x178xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<6842x738xbf16>, tensor<178x738xbf16>) -> tensor<6842x178xbf16>
  return %0 : tensor<6842x178xbf16>
}

// Not where the copies cost more than they save: a small product, short rows.
// CHECK-LABEL: @small
// CHECK-NOT:     pad
func.func @small(%a: tensor<64x333xbf16>, %b: tensor<64x333xbf16>, %c: tensor<512x77xbf16>, %d: tensor<512x77xbf16>) -> (tensor<64x64xbf16>, tensor<512x512xbf16>) {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<64x333xbf16>, tensor<64x333xbf16>) -> tensor<64x64xbf16>
  %1 = mlopt.dot %c, %d contract [1] x [1] : (tensor<512x77xbf16>, tensor<512x77xbf16>) -> tensor<512x512xbf16>
  return %0, %1 : tensor<64x64xbf16>, tensor<512x512xbf16>
}

// What other kernels compute stays: f32 in full precision, factors of 16 bits,
// narrow products, small ones of rows that TMA does not take.
// CHECK-LABEL: @others
// CHECK-NOT:     transpose
func.func @others(%a: tensor<512x256xf32>, %b: tensor<256x384xf32>, %c: tensor<512x256xf16>, %d: tensor<256x384xf16>, %e: tensor<16x256xi8>, %f: tensor<256x384xi8>, %g: tensor<80x250xi8>, %h: tensor<250x96xi8>) -> (tensor<512x384xf32>, tensor<512x384xf16>, tensor<16x384xi32>, tensor<80x96xi32>) {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<512x256xf32>, tensor<256x384xf32>) -> tensor<512x384xf32>
  %1 = mlopt.dot %c, %d contract [1] x [0] : (tensor<512x256xf16>, tensor<256x384xf16>) -> tensor<512x384xf16>
  %2 = mlopt.dot %e, %f contract [1] x [0] : (tensor<16x256xi8>, tensor<256x384xi8>) -> tensor<16x384xi32>
  %3 = mlopt.dot %g, %h contract [1] x [0] : (tensor<80x250xi8>, tensor<250x96xi8>) -> tensor<80x96xi32>
  return %0, %1, %2, %3 : tensor<512x384xf32>, tensor<512x384xf16>, tensor<16x384xi32>, tensor<80x96xi32>
}

// Rows that TMA takes, but that do not start with a line of memory, are copied
// where the product is large.
// CHECK-LABEL: @lines
// CHECK:         mlopt.pad {{.*}} -> tensor<5880x448xbf16>
// CHECK:         mlopt.pad {{.*}} -> tensor<7520x448xbf16>
// CHECK-LABEL: @few_lines
// CHECK-NOT:     mlopt.pad
func.func @lines(%a: tensor<5880x440xbf16>, %b: tensor<7520x440xbf16>) -> tensor<5880x7520xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<5880x440xbf16>, tensor<7520x440xbf16>) -> tensor<5880x7520xbf16>
  return %0 : tensor<5880x7520xbf16>
}
func.func @few_lines(%a: tensor<1191x776xbf16>, %b: tensor<6144x776xbf16>) -> tensor<1191x6144xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<1191x776xbf16>, tensor<6144x776xbf16>) -> tensor<1191x6144xbf16>
  return %0 : tensor<1191x6144xbf16>
}
