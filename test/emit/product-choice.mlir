// How kernels divide the work of a product, by its sizes: factors of rows that
// run along k.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s

// Tiles that leave multiprocessors idle for a long time share k: in a cluster.
// CHECK-LABEL: llvm.func @partial_kernel_0
// CHECK-SAME:    splits =
func.func @partial(%a: tensor<93x4872xbf16>, %b: tensor<2568x4872xbf16>) -> tensor<93x2568xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<93x4872xbf16>, tensor<2568x4872xbf16>) -> tensor<93x2568xbf16>
  return %0 : tensor<93x2568xbf16>
}

// So does a tile that is little but padding, of as few columns as there are.
// CHECK-LABEL: llvm.func @small_kernel_0
// CHECK-SAME:    splits = 8 : i64{{.*}} tile = array<i64: 128, 64, 64>
func.func @small(%a: tensor<32x9792xbf16>, %b: tensor<40x9792xbf16>) -> tensor<32x40xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<32x9792xbf16>, tensor<40x9792xbf16>) -> tensor<32x40xbf16>
  return %0 : tensor<32x40xbf16>
}

// Or in pieces, whose sums another kernel adds.
// CHECK-LABEL: llvm.func @cut_kernel_0
// CHECK-SAME:    family = "matmul"
// CHECK:       func.func @cut
// CHECK:         gpu.launch_func @cut_kernel_0
// CHECK:         gpu.launch_func @cut_kernel_1
func.func @cut(%a: tensor<384x1536xbf16>, %b: tensor<64x1536xbf16>) -> tensor<384x64xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<384x1536xbf16>, tensor<64x1536xbf16>) -> tensor<384x64xbf16>
  return %0 : tensor<384x64xbf16>
}

// Enough tiles stay whole.
// CHECK-LABEL: llvm.func @full_kernel_0
// CHECK-NOT:     splits
// CHECK-SAME:    nvvm
func.func @full(%a: tensor<1024x8192xbf16>, %b: tensor<1024x8192xbf16>) -> tensor<1024x1024xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<1024x8192xbf16>, tensor<1024x8192xbf16>) -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}

// Rows that do not start with a line of memory take twice as much from L2: two
// blocks share tiles of B.
// CHECK-LABEL: llvm.func @lines_kernel_0
// CHECK-SAME:    cluster = 2 : i64
func.func @lines(%a: tensor<1500x3000xbf16>, %b: tensor<1500x3000xbf16>) -> tensor<1500x1500xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<1500x3000xbf16>, tensor<1500x3000xbf16>) -> tensor<1500x1500xbf16>
  return %0 : tensor<1500x1500xbf16>
}

// Two sums of each short row: the kernels of rows.
// CHECK-LABEL: llvm.func @short_rows_kernel_0
// CHECK-SAME:    family = "rows"
func.func @short_rows(%a: tensor<2205x382xbf16>, %b: tensor<2x382xbf16>) -> tensor<2205x2xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<2205x382xbf16>, tensor<2x382xbf16>) -> tensor<2205x2xbf16>
  return %0 : tensor<2205x2xbf16>
}

// Longer ones go into fragments of mma.sync.
// CHECK-LABEL: llvm.func @long_rows_kernel_0
// CHECK-SAME:    family = "tiled"
func.func @long_rows(%a: tensor<1436x903xbf16>, %b: tensor<2x903xbf16>) -> tensor<1436x2xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<1436x903xbf16>, tensor<2x903xbf16>) -> tensor<1436x2xbf16>
  return %0 : tensor<1436x2xbf16>
}

// So do the sums of each row with a single other one, where none of them starts
// with a word: no factor is copied to where TMA takes it.
// CHECK-LABEL: llvm.func @one_row_kernel_0
// CHECK-SAME:    family = "rows", lanes = 4
// CHECK-NOT:   @one_row_kernel_1
func.func @one_row(%a: tensor<1x3001xbf16>, %b: tensor<8000x3001xbf16>) -> tensor<1x8000xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<1x3001xbf16>, tensor<8000x3001xbf16>) -> tensor<1x8000xbf16>
  return %0 : tensor<1x8000xbf16>
}

// Nor with two, which have fragments of mma.sync.
// CHECK-LABEL: llvm.func @two_rows_kernel_0
// CHECK-SAME:    family = "tiled", groups = 8 : i64, stages = 0
// CHECK-NOT:   @two_rows_kernel_1
func.func @two_rows(%a: tensor<2x2549xbf16>, %b: tensor<11485x2549xbf16>) -> tensor<2x11485xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<2x2549xbf16>, tensor<11485x2549xbf16>) -> tensor<2x11485xbf16>
  return %0 : tensor<2x11485xbf16>
}

// Few sums of long rows that start anywhere are copied, since the few blocks
// would shift them for longer; not those of shorter ones.
// CHECK-LABEL: llvm.func @few_long_kernel_0
// CHECK-SAME:    family = "pointwise"
// CHECK-LABEL: llvm.func @few_long_kernel_1
// CHECK-SAME:    family = "matmul"
// CHECK-LABEL: llvm.func @few_shorter_kernel_0
// CHECK-SAME:    family = "tiled"
func.func @few_long(%a: tensor<25x11529xbf16>, %b: tensor<9x11529xbf16>) -> tensor<25x9xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<25x11529xbf16>, tensor<9x11529xbf16>) -> tensor<25x9xbf16>
  return %0 : tensor<25x9xbf16>
}
func.func @few_shorter(%a: tensor<25x2001xbf16>, %b: tensor<9x2001xbf16>) -> tensor<25x9xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<25x2001xbf16>, tensor<9x2001xbf16>) -> tensor<25x9xbf16>
  return %0 : tensor<25x9xbf16>
}

// Many rows beside few columns are streamed in tiles as narrow as there are. Of
// the columns, those are loaded that there are.
// CHECK-LABEL: llvm.func @tall_kernel_0
// CHECK-SAME:    stages = 6 : i64, tile = array<i64: 128, 64, 64>
// CHECK:       func.func @tall
// CHECK:         gpu.launch_func
// CHECK-SAME:    box = array<i64: 64, 128>
// CHECK-SAME:    box = array<i64: 64, 32>
func.func @tall(%a: tensor<14336x4096xbf16>, %b: tensor<32x4096xbf16>) -> tensor<14336x32xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<14336x4096xbf16>, tensor<32x4096xbf16>) -> tensor<14336x32xbf16>
  return %0 : tensor<14336x32xbf16>
}

// Weights that run along their own rows are transposed by wgmma, where there
// are many.
// CHECK-LABEL: llvm.func @across_kernel_0
// CHECK-SAME:    family = "matmul", stages = 6 : i64, tile = array<i64: 64, 128, 64>
func.func @across(%a: tensor<16x4096xbf16>, %b: tensor<4096x14336xbf16>) -> tensor<16x14336xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<16x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<16x14336xbf16>
  return %0 : tensor<16x14336xbf16>
}

// Fewer rows share them otherwise, as before more columns.
// CHECK-LABEL: llvm.func @less_tall_kernel_0
// CHECK-NOT:     tile = array<i64: 128, 64, 64>
// CHECK-LABEL: llvm.func @less_narrow_kernel_0
// CHECK-NOT:     tile = array<i64: 128, 64, 64>
// CHECK:       func.func @less_narrow
func.func @less_tall(%a: tensor<6144x4096xbf16>, %b: tensor<64x4096xbf16>) -> tensor<6144x64xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<6144x4096xbf16>, tensor<64x4096xbf16>) -> tensor<6144x64xbf16>
  return %0 : tensor<6144x64xbf16>
}
func.func @less_narrow(%a: tensor<14336x4096xbf16>, %b: tensor<96x4096xbf16>) -> tensor<14336x96xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<14336x4096xbf16>, tensor<96x4096xbf16>) -> tensor<14336x96xbf16>
  return %0 : tensor<14336x96xbf16>
}
