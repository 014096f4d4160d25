//===- test/Dialect/Plan/ops.mlir - every op of the plan dialect, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// What is read from the text is what was there before it was printed.
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

graph.symbol @s0
graph.symbol run @s1
graph.symbol run @s2
graph.symbol run @s3
graph.symbol run @s4

// CHECK-LABEL: plan.program @steps "cuda" "sm_80" attributes {arena_bytes = 4096 : i64} {
plan.program @steps "cuda" "sm_80" attributes {arena_bytes = 4096 : i64} {
  // CHECK: plan.buffer input 0 "4*s0"{{$}}
  %x = plan.buffer input 0 "4*s0"
  // CHECK: plan.buffer weight 1 "1536"{{$}}
  %w = plan.buffer weight 1 "1536"
  // CHECK: plan.buffer weight 2 "32"{{$}}
  %b = plan.buffer weight 2 "32"
  // CHECK: plan.buffer init 0 "1536"{{$}}
  %p = plan.buffer init 0 "1536"
  // CHECK: plan.buffer arena 0 "8*s0" {offset = 256 : i64}{{$}}
  %a = plan.buffer arena 0 "8*s0" {offset = 256 : i64}
  // CHECK: plan.buffer counters 0 "4096"{{$}}
  %c = plan.buffer counters 0 "4096"
  // CHECK: plan.buffer growing 0 ?{{$}}
  %g = plan.buffer growing 0 ?
  // CHECK: plan.buffer output 0 "160"{{$}}
  %y = plan.buffer output 0 "160"
  // CHECK: plan.assert "s0" less_equal "512" because "dimension 'n' of input \22x\22"{{$}}
  plan.assert "s0" less_equal "512" because "dimension 'n' of input \22x\22"
  // CHECK: plan.launch init @pack(%{{.*}}, %{{.*}}) grid "48" scalars []{{$}}
  plan.launch init @pack(%w, %p) grid "48" scalars []
  // CHECK: plan.host "string_normalize" ["lower", "1", "of"](%{{.*}}) to(%{{.*}}){{$}}
  plan.host "string_normalize" ["lower", "1", "of"] (%a) to (%y)
  // CHECK: plan.launch @k0(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) grid "floordiv(s0 + 63, 64)" scalars ["s0", "4*s0 + 1"]{{$}}
  plan.launch @k0(%x, %p, %b, %y) grid "ceildiv(s0, 64)" scalars ["s0", "4*s0 + 1"]
  // CHECK: plan.launch @k1(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) grid "1" scalars []
  // CHECK-SAME: call(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <product source[5, 48] weights[48, 8] result[5, 8] post_ops[<add_channel>]>{{$}}
  plan.launch @k1(%x, %p, %b, %y) grid "1" scalars []
      call(%x, %w, %b, %y) <product source[5, 48] weights[48, 8] result[5, 8] post_ops[<add_channel>]>
  // CHECK: plan.launch @k2() grid "1" scalars []{{$}}
  plan.launch @k2() grid "1" scalars []
  // CHECK: plan.copy %{{.*}} to %{{.*}} bytes "8*min(s0, 20)"{{$}}
  plan.copy %a to %y bytes "min(160, 8*s0)"
}

// CHECK-LABEL: plan.program @control "cpu" "x86-64-v3" {
plan.program @control "cpu" "x86-64-v3" {
  %c = plan.buffer input 0 "1"
  %x = plan.buffer input 1 "4*s0"
  %y = plan.buffer output 0 "4*s0"
  %z = plan.buffer growing 0 ?

  // Bodies get the captures and, after them, what they write.
  // CHECK: plan.if %{{.*}}(%{{.*}}) to(%{{.*}}, %{{.*}}) symbols [@s1, @s2] ["4", "s0"] ["8", "s0 + 1"] attributes {arena_bytes = array<i64: 64, 128>} {
  plan.if %c(%x) to(%y, %z) symbols [@s1, @s2] ["4", "s0"] ["8", "s0 + 1"] attributes {arena_bytes = array<i64: 64, 128>} {
    // CHECK: plan.buffer parameter 0 "4*s0"{{$}}
    %0 = plan.buffer parameter 0 "4*s0"
    // CHECK: plan.buffer parameter 2 ?{{$}}
    %1 = plan.buffer parameter 2 ?
    // CHECK: plan.copy %{{.*}} to %{{.*}} bytes "4*s0"{{$}}
    plan.copy %0 to %1 bytes "4*s0"
  } else {
  }
  // CHECK: plan.if %{{.*}}() to() symbols [] [] [] {
  plan.if %c() to() symbols [] [] [] {
  } else {
  }
  // CHECK: plan.call(%{{.*}}) to(%{{.*}}) attributes {arena_bytes = array<i64: 32>} {
  plan.call(%x) to(%y) attributes {arena_bytes = array<i64: 32>} {
    // CHECK: plan.buffer parameter 1 "4*s0"{{$}}
    %0 = plan.buffer parameter 1 "4*s0"
  }
  // CHECK: plan.call() to() {
  plan.call() to() {
  }
}

// CHECK-LABEL: plan.program @loops "cuda" "sm_80" {
plan.program @loops "cuda" "sm_80" {
  %m = plan.buffer input 0 "8"
  %c = plan.buffer input 1 "1"
  %w = plan.buffer input 2 "64"
  %x = plan.buffer input 3 "16"
  %p = plan.buffer arena 0 "1"
  %s = plan.buffer arena 1 "16"
  %r = plan.buffer arena 2 "4"
  %y = plan.buffer output 0 "16"
  %z = plan.buffer output 1 "4*s0"
  // CHECK: plan.while limit "s0" trip %{{.*}} if %{{.*}} while %{{.*}}(%{{.*}}) carries(%{{.*}}) to(%{{.*}}) (%{{.*}}) rows(%{{.*}}) to(%{{.*}})
  // CHECK-SAME: index @s1 count @s2 symbols [@s3] ["1"] ["s3 + 1"] [@s4] attributes {arena_bytes = array<i64: 16>} {
  plan.while limit "s0" trip %m if %c while %p(%w) carries(%x) to(%y)(%s) rows(%r) to(%z)
      index @s1 count @s2 symbols [@s3] ["1"] ["s3 + 1"] [@s4] attributes {arena_bytes = array<i64: 16>} {
    // CHECK: plan.buffer parameter 4 "1"{{$}}
    %0 = plan.buffer parameter 4 "1"
  }
  // CHECK: plan.while limit "8"() carries() to() () rows() to() symbols [] [] [] [] {
  plan.while limit "8"() carries() to()() rows() to() symbols [] [] [] [] {
  }
}

// CHECK: func.func private @type(!plan.buffer)
func.func private @type(!plan.buffer)
