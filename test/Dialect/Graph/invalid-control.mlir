//===- test/Dialect/Graph/invalid-control.mlir - branches and loops that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

func.func @condition(%c: tensor<2xi1>) -> tensor<2xi1> {
  // expected-error @below {{has the condition 'tensor<2xi1>', expected one i1}}
  %y = graph.if %c captures(%c) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1> {
  ^bb0(%a: tensor<2xi1>):
    graph.yield %a : tensor<2xi1>
  } else {
  ^bb0(%a: tensor<2xi1>):
    graph.yield %a : tensor<2xi1>
  }
  return %y : tensor<2xi1>
}

// -----

func.func @captures(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{captures and arguments of a body differ in type}}
  %y = graph.if %c captures(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  } else {
    %k = graph.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
    graph.yield %k : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @results(%c: tensor<i1>) -> tensor<2xf32> {
  // expected-error @below {{yields 0 values for 1 results}}
  %y = graph.if %c : (tensor<i1>) -> tensor<2xf32> {
    %k = graph.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
    graph.yield %k : tensor<2xf32>
  } else {
    graph.yield
  }
  return %y : tensor<2xf32>
}

// -----

func.func @type(%c: tensor<i1>) -> tensor<2xf32> {
  // expected-error @below {{yields 'tensor<3xf32>' for the result 'tensor<2xf32>'}}
  %y = graph.if %c : (tensor<i1>) -> tensor<2xf32> {
    %k = graph.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
    graph.yield %k : tensor<2xf32>
  } else {
    %k = graph.constant dense<1.0> : tensor<3xf32> : tensor<3xf32>
    graph.yield %k : tensor<3xf32>
  }
  return %y : tensor<2xf32>
}

// -----

graph.symbol run @s0
func.func @symbol(%c: tensor<i1>) {
  // expected-error @below {{gives @s0 a value, which is no extent of a result}}
  graph.if %c symbols [@s0] : (tensor<i1>) -> () {
    graph.yield
  } else {
    graph.yield
  }
  return
}

// -----

func.func @trip(%m: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{has the trip count 'tensor<i32>', expected one i64}}
  %y = graph.loop trip %m carried(%x) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @begin(%c: tensor<f32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{has the condition 'tensor<f32>', expected one i1}}
  %y = graph.loop limit "3" while %c carried(%x) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @forever(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{never ends: it has no limit, no trip count and yields no condition}}
  %y = graph.loop carried(%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @arguments(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{the body's arguments are not the captures and the carried values}}
  %y = graph.loop limit "3" carried(%x) captures(%x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @count(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{yields 1 values for 1 results and the condition}}
  %y = graph.loop proceeds carried(%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @proceed(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{yields the condition 'tensor<2xf32>', expected one i1}}
  %y = graph.loop proceeds carried(%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a, %a : tensor<2xf32>, tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @carried(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{carries 'tensor<3xf32>' as 'tensor<2xf32>' to 'tensor<2xf32>'}}
  %y = graph.loop limit "3" carried(%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %k = graph.constant dense<1.0> : tensor<3xf32> : tensor<3xf32>
    graph.yield %k : tensor<3xf32>
  }
  return %y : tensor<2xf32>
}

// -----

graph.symbol run @s0
func.func @pairs(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{has symbols that are not in pairs}}
  %y = graph.loop limit "3" carried(%x) symbols [@s0] : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @rows(%x: tensor<2xf32>) -> tensor<3x4xf32> {
  // expected-error @below {{yields the row 'tensor<2xf32>' of 'tensor<3x4xf32>'}}
  %y = graph.loop limit "3" captures(%x) : (tensor<2xf32>) -> tensor<3x4xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

func.func @name(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{attribute 'symbols' failed to satisfy constraint: symbols}}
  %y = graph.loop limit "3" carried(%x) symbols ["s0", "s1"] : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @outside(%x: tensor<2xf32>) {
  // expected-error @below {{'graph.yield' op expects parent op to be one of 'graph.fusion, graph.if, graph.loop'}}
  graph.yield %x : tensor<2xf32>
}
