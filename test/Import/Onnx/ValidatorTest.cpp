//===- test/Import/Onnx/ValidatorTest.cpp - the structure of a model -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Validator.h"

#include "test/Import/Onnx/TestModels.h"

namespace cupola::onnx_import {
namespace {

struct Outcome {
  int code;
  std::string text;
};

Outcome validate(const onnx::ModelProto &model) {
  Diagnostics diagnostics;
  EXPECT_EQ(validateModel(model, {}, diagnostics), !diagnostics.failed());
  return {diagnostics.exitCode(), firstError(diagnostics)};
}

onnx::ModelProto good() { return modelOf("g (float[2] x) => (float[2] y) { z = Relu(x) y = Add(z, x) }"); }

TEST(Validator, AcceptsASoundModel) { EXPECT_EQ(validate(good()).text, "no error"); }

TEST(Validator, ReportsNamesAndOrder) {
  const std::pair<const char *, const char *> cases[] = {
      {"g (float[2] x) => (float[2] y) { y = Add(x, nowhere) }",
       "node that makes 'y' (Add, opset 17): input 'nowhere' is not defined"},
      {"g (float[2] x) => (float[2] y) { y = Relu(z) z = Relu(x) }",
       "input 'z' is made only later, by node that makes 'z' (Relu, opset 17), expected nodes in "
       "topological order"},
      {"g (float[2] x) => (float[2] y) { y = Add(x, z) z = Relu(y) }", "the graph has a cycle 'y' -> 'z' -> 'y'"},
      {"g (float[2] x) => (float[2] y) { y = Relu(y) }", "depends on this node itself"},
      {"g (float[2] x) => (float[2] y) { y = Relu(x) y = Exp(x) }",
       "output 'y' has a name that another value of the graph has"},
      {"g (float[2] x, float[2] x) => (float[2] y) { y = Relu(x) }", "graph input 'x'"},
      {"g (float[2] x) => (float[2] y) { z = Relu(x) }", "graph output 'y' is not defined by any node"},
      {"g (float[2] x) => () { y = Relu(x) }", "the graph has no outputs"},
      {"g (float[2] x) => (float[2] y) { y = other.Relu(x) }", "no opset is imported for the domain 'other'"},
  };
  for (const auto &[text, expected] : cases) {
    const Outcome outcome = validate(modelOf(text));
    EXPECT_EQ(outcome.code, 3) << text;
    EXPECT_CONTAINS(outcome.text, expected);
  }
}

TEST(Validator, OneValueMayBeSeveralOutputs) {
  EXPECT_EQ(validate(modelOf("g (float[2] x) => (float[2] y, float[2] y) { y = Relu(x) }")).text, "no error");
}

TEST(Validator, SubgraphsSeeOuterValuesThatExistAlready) {
  const std::string head = "g (bool c, float[2] x) => (float[2] y) { ";
  const std::string branch = " <then_branch = t () => (float[2] a) { a = Relu(SEEN) },"
                             "  else_branch = e () => (float[2] b) { b = Exp(x) }>";
  const auto with = [&](std::string seen) {
    std::string text = branch;
    text.replace(text.find("SEEN"), 4, seen);
    return validate(modelOf(head + "y = If (c)" + text + " later = Exp(x) }")).text;
  };
  EXPECT_EQ(with("x"), "no error");
  EXPECT_CONTAINS(with("later"), "input 'later' is not defined");
  EXPECT_CONTAINS(with("b"), "input 'b' is not defined");
}

TEST(Validator, ChecksVersions) {
  for (const auto &[ir, opset, code, expected] :
       {std::tuple(99, 17, 3, "IR version 99, expected 3 to 14"), std::tuple(0, 17, 3, "IR version 0"),
        std::tuple(8, 99, 3, "opset 99 of ai.onnx, expected 1 to 28"),
        std::tuple(8, 0, 3, "opset 0 of ai.onnx, expected 1 to 28")}) {
    onnx::ModelProto model = good();
    model.set_ir_version(ir);
    model.mutable_opset_import(0)->set_version(opset);
    const Outcome outcome = validate(model);
    EXPECT_EQ(outcome.code, code);
    EXPECT_CONTAINS(outcome.text, expected);
  }
  onnx::ModelProto model = good();
  model.clear_opset_import();
  EXPECT_CONTAINS(validate(model).text, "imports no opset");
  for (const char *domain : {"", "ai.onnx"}) {
    auto *import = model.add_opset_import();
    import->set_domain(domain);
    import->set_version(17);
  }
  EXPECT_EQ(validate(model).text, "no error") << "one import under both names";
  model.mutable_opset_import(1)->set_version(16);
  EXPECT_CONTAINS(validate(model).text, "imports two opsets of the domain 'ai.onnx', 17 and 16");
}

TEST(Validator, AttributesHaveOneValueOfTheirType) {
  using A = onnx::AttributeProto;
  const auto with = [](auto change) {
    onnx::ModelProto model = good();
    A *attribute = model.mutable_graph()->mutable_node(0)->add_attribute();
    attribute->set_name("alpha");
    attribute->set_type(A::FLOAT);
    attribute->set_f(1);
    change(attribute, model.mutable_graph()->mutable_node(0));
    return validate(model).text;
  };
  EXPECT_EQ(with([](A *, auto *) {}), "no error");
  EXPECT_CONTAINS(with([](A *a, auto *) { a->set_type(A::INT); }),
                  "attribute 'alpha' is declared to be an int and has a float");
  EXPECT_CONTAINS(with([](A *a, auto *) { a->set_i(1); }), "has a float and an int");
  EXPECT_CONTAINS(with([](A *a, auto *n) { *n->add_attribute() = *a; }), "'alpha' is given twice");
  EXPECT_CONTAINS(with([](A *a, auto *) { a->clear_type(); }), "has type number 0");
  EXPECT_CONTAINS(with([](A *a, auto *) { a->clear_name(); }), "an attribute has no name");
  EXPECT_CONTAINS(with([](A *a, auto *) { a->clear_f(), a->set_ref_attr_name("b"); }), "only inside of a function");
  EXPECT_CONTAINS(with([](A *a, auto *) { a->clear_f(), a->set_type(A::GRAPH); }),
                  "declared to be a graph and has no value");
}

TEST(Validator, InputsConsistOfTensors) {
  const auto with = [](auto change) {
    onnx::ModelProto model = good();
    change(model.mutable_graph()->mutable_input(0)->mutable_type());
    return validate(model);
  };
  const auto dims = [&](std::vector<int64_t> extents) {
    return with([&](onnx::TypeProto *type) {
      auto *shape = type->mutable_tensor_type()->mutable_shape();
      shape->clear_dim();
      for (int64_t extent : extents)
        shape->add_dim()->set_dim_value(extent);
    });
  };
  EXPECT_EQ(dims({-1, 0}).text, "no error") << "exporters' way to leave them open";
  EXPECT_CONTAINS(dims({2, -2}).text, "has the dimensions [2, -2], expected none below -1");
  EXPECT_EQ(dims({2, -2}).code, 3);
  EXPECT_EQ(dims({int64_t(1) << 32, int64_t(1) << 32}).code, 3);
  EXPECT_EQ(dims({int64_t(1) << 40}).code, 5);
  EXPECT_EQ(dims(std::vector<int64_t>(9, 1)).code, 4);
  EXPECT_CONTAINS(with([](auto *t) { t->mutable_tensor_type()->clear_shape(); }).text, "has no shape");
  const auto sequence = [&](auto change) {
    return with([&](auto *t) { change(t->mutable_sequence_type()->mutable_elem_type()); });
  };
  EXPECT_EQ(sequence([](auto *t) { t->mutable_tensor_type()->set_elem_type(1); }).text, "no error");
  const auto addWrong = [](auto *t) {
    t->mutable_tensor_type()->set_elem_type(1);
    t->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(-2);
  };
  EXPECT_CONTAINS(sequence(addWrong).text, "has the dimensions [-2], expected none below -1");
  EXPECT_EQ(with([](auto *t) {
              auto *list = t->mutable_optional_type()->mutable_elem_type()->mutable_sequence_type();
              list->mutable_elem_type()->mutable_tensor_type()->set_elem_type(1);
            }).text,
            "no error");
  EXPECT_CONTAINS(sequence([](auto *) {}).text, "is a map, a sparse tensor or a sequence of sequences");
  EXPECT_CONTAINS(with([](auto *t) { t->mutable_map_type(); }).text, "is a map");
}

TEST(Validator, FunctionsAreChecked) {
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]>"
                           "g (float[2] x) => (float[2] y) { y = my.F(x) }"
                           "<domain: \"my\", opset_import: [\"\" : 17]> ";
  EXPECT_EQ(validate(modelOf(head + "F (a) => (b) { b = Relu(a) }")).text, "no error");
  EXPECT_CONTAINS(validate(modelOf(head + "F (a) => (b) { b = Relu(c) }")).text, "input 'c' is not defined");
  EXPECT_CONTAINS(validate(modelOf(head + "F (a) => (b) { c = Relu(a) }")).text,
                  "output 'b' of function 'F' is not defined");
  EXPECT_CONTAINS(validate(modelOf(head + "F (a) => (b) { b = Elu<alpha: float = @k>(a) }")).text,
                  "refers to 'k', which is no attribute of the function");
}

} // namespace
} // namespace cupola::onnx_import
