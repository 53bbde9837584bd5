// RUN: mlopt-opt %s -split-input-file -mlopt-plan-memory | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @k {
    llvm.func @k(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<64xf32>
      %r = tensor.extract_slice %a[0] [64] [1] : tensor<64xf32> to tensor<64xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<64xf32>
      bufferization.materialize_in_destination %r in writable %m : (tensor<64xf32>, memref<64xf32>) -> ()
      llvm.return
    }
  }
  // Of three buffers in a chain the first and the third may share: 2 x 256.
  // CHECK-LABEL: func.func @chain
  // CHECK-SAME:  (%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>, %[[ARENA:.*]]: memref<512xi8>)
  // CHECK-SAME:  mlopt.arena_bytes = 512
  // CHECK-NOT:   memref.alloc
  func.func @chain(%x: memref<64xf32>, %out: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %c = memref.alloc() : memref<64xf32>
    %one = arith.constant 1 : index
    gpu.launch_func @k::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @k::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @k::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<64xf32>, %c : memref<64xf32>)
    gpu.launch_func @k::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%c : memref<64xf32>, %out : memref<64xf32>)
    return
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#tr2 = affine_map<(d0, d1) -> (d1, d0)>
#rev = affine_map<(d0) -> (-d0 + 63)>
module attributes {gpu.container_module} {
  gpu.module @inplace {
    llvm.func @inplace(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<64xf32>
      %e = tensor.empty() : tensor<64xf32>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
      ^bb0(%x: f32, %y: f32):
        %n = arith.negf %x : f32
        linalg.yield %n : f32
      } -> tensor<64xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<64xf32>
      bufferization.materialize_in_destination %r in writable %m : (tensor<64xf32>, memref<64xf32>) -> ()
      llvm.return
    }
  }
  gpu.module @reverse {
    llvm.func @reverse(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<64xf32>
      %e = tensor.empty() : tensor<64xf32>
      %r = linalg.generic {indexing_maps = [#rev, #id], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
      ^bb0(%x: f32, %y: f32):
        linalg.yield %x : f32
      } -> tensor<64xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<64xf32>
      bufferization.materialize_in_destination %r in writable %m : (tensor<64xf32>, memref<64xf32>) -> ()
      llvm.return
    }
  }
  gpu.module @steps {
    llvm.func @steps(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<64xf32>
      %v = tensor.expand_shape %a [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
      %e = tensor.empty() : tensor<8x8xf32>
      %r = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
      ^bb0(%x: f32, %y: f32):
        %n = arith.negf %x : f32
        linalg.yield %n : f32
      } -> tensor<8x8xf32>
      %s = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%r, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
      ^bb0(%x: f32, %z: f32, %y: f32):
        %n = arith.mulf %x, %z : f32
        linalg.yield %n : f32
      } -> tensor<8x8xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<8x8xf32>
      bufferization.materialize_in_destination %s in writable %m : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
      llvm.return
    }
  }
  gpu.module @turned {
    llvm.func @turned(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<8x8xf32>
      %e = tensor.empty() : tensor<8x8xf32>
      %r = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
      ^bb0(%x: f32, %y: f32):
        %n = arith.negf %x : f32
        linalg.yield %n : f32
      } -> tensor<8x8xf32>
      %s = linalg.generic {indexing_maps = [#tr2, #id2], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
      ^bb0(%x: f32, %y: f32):
        linalg.yield %x : f32
      } -> tensor<8x8xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<8x8xf32>
      bufferization.materialize_in_destination %s in writable %m : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
      llvm.return
    }
  }
  // Several steps and another shape keep each element in its place; a
  // transpose on the way does not.
  // CHECK-LABEL: func.func @steps_in_place
  // CHECK-SAME:  mlopt.arena_bytes = 256
  func.func @steps_in_place(%x: memref<64xf32>, %out: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %one = arith.constant 1 : index
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @steps::@steps blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<64xf32>, %out : memref<64xf32>)
    return
  }
  // CHECK-LABEL: func.func @turned_on_the_way
  // CHECK-SAME:  mlopt.arena_bytes = 512
  func.func @turned_on_the_way(%x: memref<64xf32>, %out: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %one = arith.constant 1 : index
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @turned::@turned blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<64xf32>, %out : memref<64xf32>)
    return
  }
  // An elementwise kernel writes over the operand that dies in it.
  // CHECK-LABEL: func.func @in_place
  // CHECK-SAME:  mlopt.arena_bytes = 256
  func.func @in_place(%x: memref<64xf32>, %out: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %one = arith.constant 1 : index
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<64xf32>, %out : memref<64xf32>)
    return
  }
  // One that moves elements does not.
  // CHECK-LABEL: func.func @not_in_place
  // CHECK-SAME:  mlopt.arena_bytes = 512
  func.func @not_in_place(%x: memref<64xf32>, %out: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %one = arith.constant 1 : index
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @reverse::@reverse blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<64xf32>, %out : memref<64xf32>)
    return
  }
  // What a loop reads on every turn keeps its place while the loop runs; what
  // a turn writes and reads again shares the rest.
  // CHECK-LABEL: func.func @loop
  // CHECK-SAME:  mlopt.arena_bytes = 512
  func.func @loop(%x: memref<64xf32>, %out: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %f = memref.alloc() : memref<i1>
    %one = arith.constant 1 : index
    gpu.launch_func @inplace::@inplace blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<64xf32>, %a : memref<64xf32>)
    scf.while : () -> () {
      gpu.launch_func @reverse::@reverse blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<64xf32>, %f : memref<i1>)
      %c = memref.load %f[] : memref<i1>
      scf.condition(%c)
    } do {
      gpu.launch_func @reverse::@reverse blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>)
      gpu.launch_func @reverse::@reverse blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<64xf32>, %out : memref<64xf32>)
      scf.yield
    }
    return
  }
}

// -----

// %b may lie where %a does, but %d is in the way of that: it does not lie over
// another part of %a either, which other threads of @negate have yet to read.
#id = affine_map<(d0) -> (d0)>
module attributes {gpu.container_module} {
  gpu.module @negate {
    llvm.func @negate(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<192xf32>
      %e = tensor.empty() : tensor<192xf32>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<192xf32>) outs(%e : tensor<192xf32>) {
      ^bb0(%x: f32, %y: f32):
        %n = arith.negf %x : f32
        linalg.yield %n : f32
      } -> tensor<192xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<192xf32>
      bufferization.materialize_in_destination %r in writable %m : (tensor<192xf32>, memref<192xf32>) -> ()
      llvm.return
    }
  }
  gpu.module @other {
    llvm.func @other(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  // CHECK-LABEL: func.func @shifted
  // CHECK-SAME:  mlopt.arena_bytes = 2304
  // CHECK:       %[[A:.*]] = arith.constant 768 : index
  // CHECK-NEXT:  memref.view %{{.*}}[%[[A]]][] : memref<2304xi8> to memref<192xf32>
  // CHECK:       %[[B:.*]] = arith.constant 1536 : index
  // CHECK-NEXT:  memref.view %{{.*}}[%[[B]]][] : memref<2304xi8> to memref<192xf32>
  func.func @shifted(%x: memref<192xf32>, %out: memref<224xf32>) {
    %c = memref.alloc() : memref<192xf32>
    %a = memref.alloc() : memref<192xf32>
    %b = memref.alloc() : memref<192xf32>
    %d = memref.alloc() : memref<224xf32>
    %one = arith.constant 1 : index
    gpu.launch_func @other::@other blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<192xf32>, %c : memref<192xf32>)
    gpu.launch_func @other::@other blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%c : memref<192xf32>, %a : memref<192xf32>)
    gpu.launch_func @negate::@negate blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<192xf32>, %b : memref<192xf32>)
    gpu.launch_func @other::@other blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<192xf32>, %d : memref<224xf32>)
    gpu.launch_func @other::@other blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%d : memref<224xf32>, %out : memref<224xf32>)
    return
  }
}
