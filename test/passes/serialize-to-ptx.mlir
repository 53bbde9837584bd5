// RUN: mlopt-opt %s -mlopt-serialize-to-ptx | FileCheck %s
// RUN: mlopt-opt %s -mlopt-serialize-to-ptx='chip=sm_80 ptx=74' | FileCheck %s --check-prefix=SM80
// RUN: mlopt-opt %s -mlopt-serialize-to-ptx='chip=sm_103' | FileCheck %s --check-prefix=SM103
// RUN: mlopt-opt %s -mlopt-serialize-to-ptx > %t.1 && mlopt-opt %s -mlopt-serialize-to-ptx > %t.2 && cmp %t.1 %t.2
// RUN: %if ptxas %{ mlopt-opt %s -mlopt-serialize-to-ptx='ptxas=%ptxas' | FileCheck %s --check-prefix=CUBIN %}
// RUN: %if ptxas %{ mlopt-opt %s -mlopt-serialize-to-ptx='ptxas=%ptxas' --remark-format=emitRemark --remarks-filter-analyse=ptxas -o %t.out 2>&1 | FileCheck %s --check-prefix=USE --implicit-check-not=warning %}
// RUN: not mlopt-opt %s -mlopt-serialize-to-ptx='chip=sm_70' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not mlopt-opt %s -mlopt-serialize-to-ptx='ptx=79' 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: not mlopt-opt %s -mlopt-serialize-to-ptx='chip=sm_120 ptx=86' 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not mlopt-opt %s -mlopt-serialize-to-ptx='ptxas=%t/none' 2>&1 | FileCheck %s --check-prefix=NONE

// CHIP: error: there is no PTX for chip 'sm_70'; there is for sm_80, {{.*}}sm_90a
// PTX: error: LLVM writes no PTX of version 79 (times ten)
// OLD: error: PTX of version 86 (times ten) is too old for sm_120
// NONE: error: there is no ptxas at {{.*}}none

// A gpu.binary holds the text, for the host to hand to the driver, and a cubin
// behind it where ptxas is asked for.
// CHECK: gpu.binary @double
// CHECK-SAME: mlopt.chip = "sm_90a"
// CHECK-SAME: chip = "sm_90a", features = "+ptx86"
// CHECK-SAME: .version 8.6
// CHECK-SAME: .target sm_90a
// CHECK-SAME: .visible .entry double(
// CHECK-SAME: add.rn.f32
// SM80: .version 7.4
// SM80-SAME: .target sm_80
// SM103: .version 8.8
// SM103-SAME: .target sm_103
// CUBIN: gpu.binary @double {{.*}}, assembly = {{.*}}, #gpu.object<{{.*}}, bin = "\7FELF
// What the kernel takes is a remark there.
// USE: serialize-to-ptx.mlir:[[@LINE+1]]:{{.*}}[Analysis] use | Category:ptxas{{.*}}Function=double{{.*}}registers={{[1-9][0-9]*}}, spill_loads=0, spill_stores=0, static_shared=0
gpu.module @double {
  llvm.func @double(%p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = llvm.load %p : !llvm.ptr -> f32
    %1 = llvm.fadd %0, %0 : f32
    llvm.store %1, %p : f32, !llvm.ptr
    llvm.return
  }
}
