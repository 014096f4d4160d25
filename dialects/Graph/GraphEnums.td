//===- GraphEnums.td - closed lists of the graph dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// One kind of op has one meaning in the reference interpreter, in CUDA device headers
// (`cu_<kind>`) and in the CPU lowering.

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHENUMS_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHENUMS_TD

include "dialects/Graph/GraphDialect.td"

class Graph_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::cupola::graph";
  let genSpecializedAttr = 0;
}

/// Unary kinds. `alpha` and `beta` parametrise those that need them.
def Graph_UnaryKind : Graph_Enum<"UnaryKind", "unary pointwise function", [
  I32EnumAttrCase<"Neg", 0, "neg">, I32EnumAttrCase<"Abs", 1, "abs">,
  I32EnumAttrCase<"Exp", 2, "exp">, I32EnumAttrCase<"Log", 3, "log">,
  I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Rsqrt", 5, "rsqrt">,
  I32EnumAttrCase<"Reciprocal", 6, "reciprocal">, I32EnumAttrCase<"Floor", 7, "floor">,
  I32EnumAttrCase<"Ceil", 8, "ceil">, I32EnumAttrCase<"Round", 9, "round">, // half to even
  I32EnumAttrCase<"Sign", 10, "sign">, I32EnumAttrCase<"Erf", 11, "erf">,
  I32EnumAttrCase<"Tanh", 12, "tanh">, I32EnumAttrCase<"Sigmoid", 13, "sigmoid">,
  I32EnumAttrCase<"Relu", 14, "relu">, I32EnumAttrCase<"LeakyRelu", 15, "leaky_relu">, // alpha
  I32EnumAttrCase<"Elu", 16, "elu">,           // alpha
  I32EnumAttrCase<"Selu", 17, "selu">,         // alpha, beta = gamma
  I32EnumAttrCase<"Celu", 18, "celu">,         // alpha
  I32EnumAttrCase<"Softplus", 19, "softplus">, I32EnumAttrCase<"Softsign", 20, "softsign">,
  I32EnumAttrCase<"HardSigmoid", 21, "hard_sigmoid">, // alpha, beta
  I32EnumAttrCase<"HardSwish", 22, "hard_swish">, I32EnumAttrCase<"Mish", 23, "mish">,
  I32EnumAttrCase<"ThresholdedRelu", 24, "thresholded_relu">, // alpha
  I32EnumAttrCase<"Shrink", 25, "shrink">,                    // alpha = lambd, beta = bias
  I32EnumAttrCase<"GeluErf", 26, "gelu_erf">, I32EnumAttrCase<"GeluTanh", 27, "gelu_tanh">,
  I32EnumAttrCase<"Silu", 28, "silu">,          // x * sigmoid(alpha * x)
  I32EnumAttrCase<"Sin", 29, "sin">, I32EnumAttrCase<"Cos", 30, "cos">,
  I32EnumAttrCase<"Tan", 31, "tan">, I32EnumAttrCase<"Asin", 32, "asin">,
  I32EnumAttrCase<"Acos", 33, "acos">, I32EnumAttrCase<"Atan", 34, "atan">,
  I32EnumAttrCase<"Sinh", 35, "sinh">, I32EnumAttrCase<"Cosh", 36, "cosh">,
  I32EnumAttrCase<"Asinh", 37, "asinh">, I32EnumAttrCase<"Acosh", 38, "acosh">,
  I32EnumAttrCase<"Atanh", 39, "atanh">,
  I32EnumAttrCase<"Not", 40, "not">,            // bool -> bool
  I32EnumAttrCase<"BitwiseNot", 41, "bitwise_not">,
  I32EnumAttrCase<"IsNaN", 42, "is_nan">,       // float -> bool
  I32EnumAttrCase<"IsInf", 43, "is_inf">,       // float -> bool; alpha, beta: 1 = negative, positive count
]>;

/// Binary kinds. Both operands have one element type, which is that of the result,
/// but for the comparisons, whose result is bool.
def Graph_BinaryKind : Graph_Enum<"BinaryKind", "binary pointwise function", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
  I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Div", 3, "div">,     // integers: truncated; x / 0 = 0, min / -1 = min
  I32EnumAttrCase<"Mod", 4, "mod">,     // sign of the divisor (numpy); x mod 0 = 0
  I32EnumAttrCase<"Fmod", 5, "fmod">,   // sign of the dividend (C)
  I32EnumAttrCase<"Pow", 6, "pow">,     // the exponent is cast to the base's type first
  I32EnumAttrCase<"Max", 7, "max">, I32EnumAttrCase<"Min", 8, "min">, // NaN wins
  I32EnumAttrCase<"Prelu", 9, "prelu">, // x < 0 ? x * slope : x
  I32EnumAttrCase<"And", 10, "and">, I32EnumAttrCase<"Or", 11, "or">,
  I32EnumAttrCase<"Xor", 12, "xor">,    // bool
  I32EnumAttrCase<"BitwiseAnd", 13, "bitwise_and">, I32EnumAttrCase<"BitwiseOr", 14, "bitwise_or">,
  I32EnumAttrCase<"BitwiseXor", 15, "bitwise_xor">,
  I32EnumAttrCase<"ShiftLeft", 16, "shift_left">, I32EnumAttrCase<"ShiftRight", 17, "shift_right">,
  I32EnumAttrCase<"Equal", 18, "equal">, I32EnumAttrCase<"Less", 19, "less">,
  I32EnumAttrCase<"LessEqual", 20, "less_equal">, I32EnumAttrCase<"Greater", 21, "greater">,
  I32EnumAttrCase<"GreaterEqual", 22, "greater_equal">,
]>;

def Graph_ReduceKind : Graph_Enum<"ReduceKind", "reduction", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Prod", 2, "prod">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">,
]>;

def Graph_PadMode : Graph_Enum<"PadMode", "what lies outside of a padded tensor", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Edge", 1, "edge">,
  I32EnumAttrCase<"Reflect", 2, "reflect">, I32EnumAttrCase<"Wrap", 3, "wrap">,
]>;

/// What a row of a softmax becomes whose elements are all -inf.
def Graph_SoftmaxGuard : Graph_Enum<"SoftmaxGuard", "guard of a softmax", [
  I32EnumAttrCase<"None", 0, "none">,     // NaN
  I32EnumAttrCase<"NaN", 1, "nan">,       // 0, like every other quotient that is NaN
  I32EnumAttrCase<"Hidden", 2, "hidden">, // 0; other quotients that are NaN stay
]>;

/// What a fusion's kernel computes. Reports show it where a target has no schedules of its own.
def Graph_KernelKind : Graph_Enum<"KernelKind", "kind of a kernel", [
  I32EnumAttrCase<"Pointwise", 0, "pointwise">, // also what only moves elements
  I32EnumAttrCase<"Gather", 1, "gather">,       // pointwise, with an index that comes from a tensor
  I32EnumAttrCase<"RowReduction", 2, "row_reduction">, // rows that are read more than once
  I32EnumAttrCase<"Reduction", 3, "reduction">,
  I32EnumAttrCase<"Gemm", 4, "gemm">, I32EnumAttrCase<"Conv", 5, "conv">,
  I32EnumAttrCase<"Pack", 6, "pack">,           // a weight in the order in which a product reads it
  I32EnumAttrCase<"Attention", 7, "attention">, // two products with a softmax of rows between them
  I32EnumAttrCase<"Recurrence", 8, "recurrence">, // all iterations of a loop over states, as that of LSTM
]>;

/// What may stand for a product of f32 numbers.
def Graph_Tf32 : Graph_Enum<"Tf32", "products of TF32 for one of f32", [
  I32EnumAttrCase<"X1", 1, "x1">, // of both rounded to 11 bits
  I32EnumAttrCase<"X3", 3, "x3">, // three: of 22 bits, without the least part
]>;

/// Whether a target may round rows of a product to bytes, where it is said; else it may where the weights have up to 4
/// bits, beside whose own rounding that of the rows is little.
def Graph_Int8Rows : Graph_Enum<"Int8Rows", "whether rows may be rounded to bytes", [
  I32EnumAttrCase<"Always", 0, "always">,
  I32EnumAttrCase<"Never", 1, "never">,
]>;

/// In which order a convolution has the dimensions of its operands.
def Graph_ConvLayout : Graph_Enum<"ConvLayout", "order of the dimensions of a convolution", [
  I32EnumAttrCase<"ChannelsLast", 0, "channels_last">,   // [N, places.., C], weights [window.., C, O]
  I32EnumAttrCase<"ChannelsFirst", 1, "channels_first">, // [N, C, places..], weights [O, C, window..]
]>;

def Graph_Relation : Graph_Enum<"Relation", "relation of two extents", [
  I32EnumAttrCase<"Equal", 0, "equal">, I32EnumAttrCase<"LessEqual", 1, "less_equal">,
  I32EnumAttrCase<"Broadcast", 2, "broadcast">, // equal, or one of them is 1
]>;

/// Why no kernel that computes writes the elements of a result of the model.
def Graph_CopyReason : Graph_Enum<"CopyReason", "why a fusion only moves elements", [
  I32EnumAttrCase<"Joined", 0, "joined">,         // several values stand side by side in it
  I32EnumAttrCase<"Part", 1, "part">,             // it is a part of a value
  I32EnumAttrCase<"Shared", 2, "shared">,         // the value is made, or read, too, in its own layout
  I32EnumAttrCase<"Uncomputed", 3, "uncomputed">, // it is a view of an input or a constant
]>;

/// Numbered as format::LibraryCallKind (lib/Runtime/Format/LibraryCall.h).
def Graph_LibraryCallKind : Graph_Enum<"LibraryCallKind", "what a library computes", [
  I32EnumAttrCase<"Convolution", 1, "convolution">, I32EnumAttrCase<"MatrixProduct", 2, "product">,
  I32EnumAttrCase<"StridedProduct", 3, "strided_product">,
]>;

/// Numbered as format::PostOpKind.
def Graph_PostOpKind : Graph_Enum<"PostOpKind", "what a library does to every element", [
  I32EnumAttrCase<"AddChannel", 1, "add_channel">, I32EnumAttrCase<"AddTensor", 2, "add_tensor">,
  I32EnumAttrCase<"Relu", 3, "relu">, I32EnumAttrCase<"Clip", 4, "clip">,
  I32EnumAttrCase<"Sigmoid", 5, "sigmoid">, I32EnumAttrCase<"Silu", 6, "silu">,
  I32EnumAttrCase<"HardSwish", 7, "hard_swish">, I32EnumAttrCase<"GeluErf", 8, "gelu_erf">,
  I32EnumAttrCase<"GeluTanh", 9, "gelu_tanh">, I32EnumAttrCase<"Tanh", 10, "tanh">,
]>;

class Graph_EnumAttrOf<EnumAttrInfo info, string attrMnemonic>
    : EnumAttr<Graph_Dialect, info, attrMnemonic>;
def Graph_Tf32Attr : Graph_EnumAttrOf<Graph_Tf32, "tf32">;
def Graph_Int8RowsAttr : Graph_EnumAttrOf<Graph_Int8Rows, "int8_rows">;
def Graph_ConvLayoutAttr : Graph_EnumAttrOf<Graph_ConvLayout, "conv_layout">;
def Graph_UnaryKindAttr : Graph_EnumAttrOf<Graph_UnaryKind, "unary_kind">;
def Graph_BinaryKindAttr : Graph_EnumAttrOf<Graph_BinaryKind, "binary_kind">;
def Graph_ReduceKindAttr : Graph_EnumAttrOf<Graph_ReduceKind, "reduce_kind">;
def Graph_SoftmaxGuardAttr : Graph_EnumAttrOf<Graph_SoftmaxGuard, "softmax_guard">;
def Graph_KernelKindAttr : Graph_EnumAttrOf<Graph_KernelKind, "kernel_kind">;
def Graph_PadModeAttr : Graph_EnumAttrOf<Graph_PadMode, "pad_mode">;
def Graph_RelationAttr : Graph_EnumAttrOf<Graph_Relation, "relation">;
def Graph_CopyReasonAttr : Graph_EnumAttrOf<Graph_CopyReason, "copy_reason">;

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHENUMS_TD
