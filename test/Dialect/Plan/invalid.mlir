//===- test/Dialect/Plan/invalid.mlir - what is no plan ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Branches, calls and loops
//===----------------------------------------------------------------------===//

graph.symbol @s0
plan.program @values "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.if' op gives 2 symbols 1 and 2 values}}
  plan.if %a() to() symbols [@s1, @s2] ["4"] ["8", "9"] {
  } else {
  }
}

// -----

graph.symbol @s0
plan.program @otherValues "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.if' op gives 0 symbols 0 and 1 values}}
  plan.if %a() to() symbols [] [] ["8"] {
  } else {
  }
}

// -----

graph.symbol @s0
plan.program @branch "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  plan.if %a(%b) to(%a) symbols [] [] [] {
    // expected-error @below {{'plan.buffer' op is parameter 2 of a body that gets 2}}
    %0 = plan.buffer parameter 2 "4"
  } else {
  }
}

// -----

graph.symbol @s0
plan.program @otherwise "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  plan.if %a(%b) to() symbols [] [] [] {
    %0 = plan.buffer parameter 0 "4"
  } else {
    // expected-error @below {{'plan.buffer' op is parameter 1 of a body that gets 1}}
    %0 = plan.buffer parameter 1 "4"
  }
}

// -----

graph.symbol @s0
plan.program @called "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  plan.call(%a) to(%b) {
    // expected-error @below {{'plan.buffer' op is parameter 2 of a body that gets 2}}
    %0 = plan.buffer parameter 2 "4"
  }
}

// -----

graph.symbol @s0
plan.program @carried "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.while' op has another number of buffers for the values before an iteration than after it}}
  plan.while limit "8"() carries(%a) to()(%b) rows() to() symbols [] [] [] [] {
  }
}

// -----

graph.symbol @s0
plan.program @spare "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.while' op has another number of buffers for the values before an iteration than after it}}
  plan.while limit "8"() carries(%a) to(%b)() rows() to() symbols [] [] [] [] {
  }
}

// -----

graph.symbol @s0
plan.program @rows "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.while' op has another number of buffers for the values before an iteration than after it}}
  plan.while limit "8"() carries() to()() rows(%a) to() symbols [] [] [] [] {
  }
}

// -----

graph.symbol @s0
plan.program @first "cpu" "x86-64-v3" {
  // expected-error @below {{'plan.while' op carries 1 symbols with another number of values}}
  plan.while limit "8"() carries() to()() rows() to() symbols [@s1] [] ["4"] [@s2] {
  }
}

// -----

graph.symbol @s0
plan.program @next "cpu" "x86-64-v3" {
  // expected-error @below {{'plan.while' op carries 1 symbols with another number of values}}
  plan.while limit "8"() carries() to()() rows() to() symbols [@s1] ["4"] [] [@s2] {
  }
}

// -----

graph.symbol @s0
plan.program @last "cpu" "x86-64-v3" {
  // expected-error @below {{'plan.while' op carries 1 symbols with another number of values}}
  plan.while limit "8"() carries() to()() rows() to() symbols [@s1] ["4"] ["8"] [] {
  }
}

// -----

graph.symbol @s0
plan.program @iteration "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  plan.while limit "8" while %a(%b) carries(%a) to(%b)(%a) rows() to() symbols [] [] [] [] {
    %0 = plan.buffer parameter 3 "4"
    // expected-error @below {{'plan.buffer' op is parameter 4 of a body that gets 4}}
    %1 = plan.buffer parameter 4 "4"
  }
}

// -----

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

graph.symbol @s0
plan.program @operands "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call names 2 buffers, expected 3}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b) <product source [4, 2] weights [2, 8] result [4, 8]>
}

// -----

graph.symbol @s0
plan.program @postOperand "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call names 3 buffers, expected 4}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <product source [4, 2] weights [2, 8] result [4, 8] post_ops [<add_tensor>]>
}

// -----

graph.symbol @s0
plan.program @depth "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call has a source, weights and result that do not agree}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <product source [4, 2] weights [3, 8] result [4, 8]>
}

// -----

graph.symbol @s0
plan.program @rank "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call has 3 extents of source, expected 2}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <product source [1, 4, 2] weights [2, 8] result [4, 8]>
}

// -----

graph.symbol @s0
plan.program @extent "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call has an extent 0 of weights}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <product source [4, 2] weights [0, 8] result [4, 8]>
}

// -----

graph.symbol @s0
plan.program @elements "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call has a result of more than 2147483648 elements}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <product source [65536, 2] weights [2, 65536] result [65536, 65536]>
}

// -----

graph.symbol @s0
plan.program @window "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call is a product with a window}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <product source [4, 2] weights [2, 8] result [4, 8] strides [1, 1]>
}

// -----

graph.symbol @s0
plan.program @windows "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call has 9 windows of 3 on 8 places with padding 0}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <convolution source [1, 8, 8, 4] weights [3, 3, 4, 2] result [1, 9, 6, 2]
               strides [1, 1] dilations [1, 1] padding [0, 0]>
}

// -----

graph.symbol @s0
plan.program @postOps "cpu" "x86-64-v3" {
  %a = plan.buffer input 0 "4"
  %b = plan.buffer input 1 "8"
  // expected-error @below {{'plan.launch' op the manifest is inconsistent: a library call has 9 post-ops, at most 8 are allowed}}
  plan.launch @k0(%a, %b) grid "1" scalars []
      call(%a, %b, %a) <product source [4, 2] weights [2, 8] result [4, 8]
               post_ops [<relu>, <relu>, <relu>, <relu>, <relu>, <relu>, <relu>, <relu>, <relu>]>
}

// -----

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

graph.symbol @s0
plan.program @size "cpu" "x86-64-v3" {
  // expected-error @below {{expected string}}
  %0 = plan.buffer input 0 4
}

// -----

graph.symbol @s0
plan.program @kind "cpu" "x86-64-v3" {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'kind' [arena, weight, input, output, init, parameter, growing, counters]}}
  %0 = plan.buffer stack 0 "4"
}
