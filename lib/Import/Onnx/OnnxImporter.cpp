//===- lib/Import/Onnx/OnnxImporter.cpp - from a model to the graph dialect ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OnnxImporter.h"

#include "dialects/Graph/Interface.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Finish.h"
#include "lib/Import/Onnx/ModelInputs.h"
#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/ModelOutputs.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Import/Onnx/OpTable.h"
#include "lib/Import/Onnx/Remedy.h"
#include "lib/Import/Onnx/SchemaFunctions.h"
#include "lib/Import/Onnx/ShapeInputs.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/UnknownOps.h"

#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"

#include <unordered_map>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using ImportFunction = std::function<void(OpBinder &)>;

class Importer {
public:
  /// `shapeInputs`: names of inputs (ShapeInputs.h). `readsData`: see Bodies::mayReadData.
  Importer(const LoadedModel &model, const ShapeOptions &shapes, const Limits &limits, MLIRContext &context,
           Diagnostics &diagnostics, const OpLibrary &library, const std::set<std::string> &shapeInputs, bool readsData)
      : model(model), graph(model.proto->graph()), shapes(shapes), limits(limits), diagnostics(diagnostics),
        library(library), shapeInputs(shapeInputs), opsets(opsetsOf(*model.proto)),
        functions(functionsOf(*model.proto)), module(ModuleOp::create(UnknownLoc::get(&context))), ops(&context),
        symbols(*module), builder(ops, symbols, limits), pool(builder), remedy(values, symbols),
        bodies(
            ops, pool, readsData,
            [this](const onnx::GraphProto &body, ArrayRef<Tensor> inputs) { return importSubgraph(body, inputs); },
            [this] { return checkpoint(); }),
        outputs(builder, pool, shapes, diagnostics) {}

  OwningOpRef<ModuleOp> run();
  std::vector<format::Composite> composites; ///< of a model that was imported: inputs, then outputs
  /// Further inputs whose elements nodes ask for, of an import that failed.
  const std::set<std::string> &wantedShapeInputs() const { return wanted; }
  bool wantsData() const { return bodies.wantsData; } ///< the same of data

private:
  const LoadedModel &model;
  const onnx::GraphProto &graph;
  const ShapeOptions &shapes;
  const Limits &limits;
  Diagnostics &diagnostics;
  const OpLibrary &library;
  const std::set<std::string> &shapeInputs;
  std::set<std::string> wanted;
  Opsets opsets;
  FunctionMap functions;
  OwningOpRef<ModuleOp> module;
  OpBuilder ops;
  Symbols symbols;
  GraphBuilder builder;
  TensorPool pool;
  func::FuncOp function;
  Remedy::Values values;
  Remedy remedy;
  Bodies bodies;
  ModelOutputs outputs;
  std::unordered_map<std::string, const onnx::TensorProto *> initializers;
  std::vector<const onnx::NodeProto *> refused; ///< whose bodies were not imported with them
  std::deque<SchemaFunction> functionBodies;    ///< of nodes so far, also of those that were taken back
  int64_t expanded = 0;                         ///< their nodes
  const NodeLabel *caller = nullptr;            ///< of the function whose body is being imported

  bool makeFunction();
  void pin(const onnx::TensorProto &value);
  DictionaryAttr bindInput(const onnx::ValueInfoProto &input, BlockArgument argument);
  void bindComposites(const ModelInputs &inputs);
  Location nameNode(const onnx::NodeProto &node);
  void importNode(const onnx::NodeProto &node);
  void importBodies(const onnx::NodeProto &node);
  void listOtherProblems();
  std::vector<Tensor> importSubgraph(const onnx::GraphProto &subgraph, ArrayRef<Tensor> inputs);
  std::function<void()> checkpoint();
  bool importAs(const onnx::NodeProto &node, const NodeLabel &label);
  bool runImport(const onnx::NodeProto &node, const NodeLabel &label, const ImportFunction &import);
  void importFunction(const onnx::NodeProto &node, const NodeLabel &label, OpBinder &op);
  int64_t versionOf(const onnx::NodeProto &node) const {
    const auto found = opsets.find(canonicalDomain(node.domain()));
    return found == opsets.end() ? 0 : found->second;
  }
  void bindResults(const onnx::NodeProto &node, OpBinder &op);
  Tensor lookUp(const std::string &name);
  void addOutput(const onnx::ValueInfoProto &output);
  void makeReturn();
  void recordGoneNodes();

  std::set<std::string> takenNames;
  std::vector<Attribute> nodeNames; ///< [name, op] in the order of import
  graph::NodeNames knownNodes;      ///< whose results all are known values
};

/// One argument per input, with its name.
bool Importer::makeFunction() {
  MLIRContext *context = module->getContext();
  const ModelInputs inputs(graph, shapes, symbols, diagnostics);
  std::vector<Type> types;
  for (size_t i = 0; i < inputs.inputs().size(); ++i) {
    const auto &input = *inputs.inputs()[i];
    const int32_t dataType = input.type().tensor_type().elem_type();
    const Type element = modelTypeOf(dataType, context);
    if (!element)
      diagnostics.error(ErrorKind::Unsupported, "graph input " + quoted(input.name()) + " has elements of " +
                                                    elementTypeName(dataType) + ", which are not supported");
    if (diagnostics.failed())
      continue;
    types.push_back(graph::tensorType(inputs.shape(i), heldIn(element)));
  }
  if (diagnostics.failed())
    return false;
  ops.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(ops, UnknownLoc::get(context), "main", FunctionType::get(context, types, {}));
  Block *body = function.addEntryBlock();
  bodies.scopes.enter(body);
  SmallVector<DictionaryAttr> names;
  for (auto [input, argument] : llvm::zip_equal(inputs.inputs(), body->getArguments()))
    names.push_back(bindInput(*input, argument));
  function.setAllArgAttrs(names); // one by one would make a list of all for each
  bindComposites(inputs);
  for (const auto &value : inputs.pinned())
    pin(*value);
  for (const auto &tensor : graph.initializer())
    initializers[tensor.name()] = &tensor;
  return !diagnostics.failed();
}

/// The attributes of the argument.
DictionaryAttr Importer::bindInput(const onnx::ValueInfoProto &input, BlockArgument argument) {
  argument.setLoc(NameLoc::get(ops.getStringAttr(input.name())));
  const Type element = modelTypeOf(input.type().tensor_type().elem_type(), ops.getContext());
  builder.swapLocation(argument.getLoc());
  const Tensor tensor = values[input.name()] = pool.ofValue(heldOf(builder, argument, element), element);
  NamedAttrList attributes = interfaceAttributes(ops.getContext(), input.name(), element);
  if (shapeInputs.count(input.name())) {
    const Exprs elements = makeShapeInput(input.name(), *tensor, symbols);
    attributes.set(graph::elementsAttr, graph::exprArray(ops.getContext(), elements));
  }
  return attributes.getDictionary(ops.getContext());
}

/// No node can read an element by its name: the sequence takes its place.
void Importer::bindComposites(const ModelInputs &inputs) {
  composites = inputs.composites();
  for (auto [i, input] : llvm::enumerate(composites)) {
    const Type element = modelTypeOf(inputs.elementType(i), ops.getContext());
    if (!element)
      diagnostics.error(ErrorKind::Unsupported, "graph input " + quoted(input.name) + " has elements of " +
                                                    elementTypeName(inputs.elementType(i)) +
                                                    ", which are not supported");
    std::vector<Tensor> elements;
    for (size_t j = 0; j < input.count; ++j) {
      const std::string name = elementName(input.name, input.kind, j);
      elements.push_back(values.at(name));
      values.erase(name);
    }
    values[input.name] = compositeOf(pool, input, elements, element);
  }
}

void Importer::pin(const onnx::TensorProto &value) {
  try {
    builder.swapLocation(NameLoc::get(ops.getStringAttr(value.name())));
    values[value.name()] = pool.ofConstant(value, model.blobs);
  } catch (const NodeError &error) {
    diagnostics.error(error.kind, "graph input " + quoted(value.name()) + ": " + error.message);
  }
}

/// A name that tells the node apart, also where the model's is empty or repeats.
Location Importer::nameNode(const onnx::NodeProto &node) {
  const std::string number = "#" + std::to_string(nodeNames.size());
  std::string name = node.name().empty() ? number + ":" + node.op_type() : node.name();
  while (!takenNames.insert(name).second)
    name += number;
  const StringAttr nameAttr = ops.getStringAttr(name), op = ops.getStringAttr(node.op_type());
  nodeNames.push_back(ops.getArrayAttr({nameAttr, op}));
  return NameLoc::get(nameAttr, NameLoc::get(op));
}

Tensor Importer::lookUp(const std::string &name) {
  if (name.empty())
    return nullptr;
  const auto known = values.find(name);
  if (known != values.end())
    return known->second;
  const auto initializer = initializers.find(name);
  if (initializer == initializers.end()) // of a body that was left: what is in it is looked at for its problems
    return pool.poison();
  const Location user = builder.swapLocation(NameLoc::get(StringAttr::get(module->getContext(), name)));
  Tensor tensor = pool.ofConstant(*initializer->second, model.blobs);
  builder.swapLocation(user);
  return values[name] = tensor;
}

void Importer::bindResults(const onnx::NodeProto &node, OpBinder &op) {
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty())
      continue;
    const size_t index = static_cast<size_t>(i);
    if (index >= op.results().size() || !op.results()[index])
      op.unsupported("output " + std::to_string(i) + " is not supported");
    values[node.output(i)] = op.results()[index];
  }
}

/// By a function, or without one as the body that ONNX gives the op.
bool Importer::runImport(const onnx::NodeProto &node, const NodeLabel &label, const ImportFunction &import) {
  try {
    std::vector<Tensor> inputs;
    for (const std::string &name : node.input()) {
      inputs.push_back(bodies.scopes.here(lookUp(name)));
      if (inputs.back() && inputs.back()->poisoned)
        return false; // its maker has been reported
    }
    OpBinder op(node, builder, pool, model.blobs, limits, shapes.aliases, std::move(inputs), bodies);
    // A model of which some op is unknown has not been through the checker. Ops that are not ONNX's see to it
    // themselves.
    const auto *schema = onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(versionOf(node)),
                                                        canonicalDomain(node.domain()));
    if (schema)
      op.requireInputs(schema->min_input(), schema->max_input());
    checkNarrowOperands(node, op);
    checkStringOperands(node, op);
    if (import) {
      import(op);
    } else {
      for (const auto &[name, attribute] : schema->attributes())
        op.ignoreAttribute(name); // the body has it
      importFunction(node, label, op);
    }
    op.checkAllAttributesRead();
    keepNarrowType(node, op);
    keepStringType(node, op);
    bindResults(node, op);
    return true;
  } catch (const NodeError &error) {
    Remedy::Answer answer = remedy.forError(error, node);
    wanted.merge(answer.shapeInputs);
    diagnostics.error(error.kind, label, within(node, caller) + error.message + answer.text, answer.decidedBy);
    return false;
  } catch (const BodyError &) {
    return true; // all problems of its bodies have been reported
  }
}

/// What becomes of the body's nodes counts as this node, and so do their problems.
void Importer::importFunction(const onnx::NodeProto &node, const NodeLabel &label, OpBinder &op) {
  std::vector<onnx::TypeProto> types;
  for (size_t i = 0; i < op.inputCount(); ++i)
    types.push_back(op.has(i) ? typeProtoOf(op.element(i, "operand"), op.shape(i, "operand")) : onnx::TypeProto());
  functionBodies.push_back(schemaFunction(node, versionOf(node), types));
  SchemaFunction &function = functionBodies.back();
  if (!function.body)
    throw NodeError{function.kind, function.problem, std::nullopt, {}, function.kind == ErrorKind::Unsupported};
  expanded += function.body->node_size();
  if (graph.node_size() + expanded > limits.nodes) {
    functionBodies.pop_back();
    throw NodeError{ErrorKind::Limit, exceeds(limits, &Limits::nodes,
                                              "ops that ONNX makes of others would make " +
                                                  std::to_string(graph.node_size() + expanded) + " nodes, which")};
  }
  function.opsets.insert(opsets.begin(), opsets.end()); // a body of another domain leaves ai.onnx to the model
  std::swap(opsets, function.opsets);
  const NodeLabel *outer = std::exchange(caller, caller ? caller : &label);
  const std::vector<Tensor> outputs = importSubgraph(*function.body, {});
  caller = outer;
  std::swap(opsets, function.opsets);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (op.wants(i) && output->poisoned)
      throw BodyError();
    op.result(output, i);
  }
}

/// The names of a subgraph's values are its own but for the outer ones it reads: they are gone
/// afterwards, and those that they hide are back.
std::vector<Tensor> Importer::importSubgraph(const onnx::GraphProto &subgraph, ArrayRef<Tensor> inputs) {
  const Location outer = builder.location(); // of the node whose body it is
  const std::string outerLabel = builder.label();
  std::vector<std::pair<std::string, Tensor>> hidden;
  const auto hide = [&](const std::string &name) {
    const auto found = values.find(name);
    hidden.push_back({name, found == values.end() ? nullptr : found->second});
    values.erase(name);
  };
  for (const auto &tensor : subgraph.initializer()) {
    hide(tensor.name());
    initializers[tensor.name()] = &tensor;
  }
  for (auto [i, input] : llvm::enumerate(inputs)) {
    hide(subgraph.input(static_cast<int>(i)).name());
    values[subgraph.input(static_cast<int>(i)).name()] = input;
  }
  for (const auto &node : subgraph.node()) {
    for (const std::string &output : node.output())
      hide(output);
    importNode(node);
  }
  std::vector<Tensor> outputs;
  for (const auto &output : subgraph.output())
    outputs.push_back(lookUp(output.name()));
  for (const auto &[name, tensor] : llvm::reverse(hidden)) {
    values.erase(name);
    if (tensor)
      values[name] = tensor;
  }
  builder.setNode(outer, outerLabel);
  return outputs;
}

/// A body is imported again once its shapes are known better.
std::function<void()> Importer::checkpoint() {
  return [this, facts = symbols.save(), count = nodeNames.size()] {
    symbols.restore(*facts);
    graph::NodeNames gone;
    for (size_t i = count; i < nodeNames.size(); ++i) {
      gone.insert(cast<StringAttr>(cast<ArrayAttr>(nodeNames[i])[0]));
      takenNames.erase(gone.back().str());
    }
    knownNodes.remove_if([&](StringAttr name) { return gone.contains(name); });
    nodeNames.resize(count);
  };
}

bool Importer::importAs(const onnx::NodeProto &node, const NodeLabel &label) {
  const std::string domain = canonicalDomain(node.domain());
  const int64_t version = versionOf(node);
  const OpRow *row = findOp(domain, node.op_type(), version);
  if (row && (row->op != "ImageDecoder" || shapes.allowDecoders))
    return runImport(node, label, row->import);
  if (const LibraryOp *own = library.find(domain, node.op_type(), version))
    return runImport(node, label, [own](OpBinder &op) { importLibraryOp(op, *own); });
  if (hasSchemaFunction(domain, node.op_type(), version))
    return runImport(node, label, {});
  diagnostics.error(ErrorKind::Unsupported, label, within(node, caller) + whyUnknown(node, functions, library));
  return false;
}

void Importer::importNode(const onnx::NodeProto &node) {
  const NodeLabel label = caller ? *caller : labelOf(node, opsets);
  const size_t place = nodeNames.size();
  if (!caller)
    builder.setNode(nameNode(node), label.text());
  for (const std::string &output : node.output())
    values[output] = nullptr;
  remedy.recordMaker(node);
  if (!importAs(node, label) && !caller)
    refused.push_back(&node);
  for (const std::string &output : node.output())
    if (!values[output])
      values[output] = pool.poison();
  const auto isKnown = [&](const std::string &output) { return output.empty() || values[output]->known; };
  if (!caller && llvm::all_of(node.output(), isKnown))
    knownNodes.insert(cast<StringAttr>(cast<ArrayAttr>(nodeNames[place])[0]));
}

/// For its problems: nothing is known of what the node hands to its bodies.
void Importer::importBodies(const onnx::NodeProto &node) {
  const auto import = [&](const onnx::GraphProto &body) {
    for (const auto &input : body.input())
      values[input.name()] = pool.poison();
    for (const auto &tensor : body.initializer())
      initializers[tensor.name()] = &tensor;
    for (const auto &inner : body.node())
      importNode(inner);
  };
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      import(attribute.g());
    for (const auto &body : attribute.graphs())
      import(body);
  }
}

/// A model that is refused is told all reasons at once, those in bodies included.
void Importer::listOtherProblems() {
  for (size_t i = 0; i < refused.size(); ++i) // grows by nodes inside of bodies
    importBodies(*refused[i]);
  std::set<FunctionKey> listed;
  for (const onnx::NodeProto *node : refused)
    if (const auto callee = functions.find(calleeOf(*node)); callee != functions.end())
      listUnknownOps(*callee->second, functions, library, listed, diagnostics);
}

void Importer::addOutput(const onnx::ValueInfoProto &output) {
  const Tensor tensor = bodies.scopes.here(lookUp(output.name()));
  if (!tensor->poisoned)
    outputs.add(output, tensor);
}

void Importer::makeReturn() {
  try {
    for (const auto &output : graph.output())
      addOutput(output);
  } catch (const NodeError &error) {
    const Remedy::Answer answer = remedy.forError(error, onnx::NodeProto());
    diagnostics.error(error.kind, "graph outputs: " + error.message + answer.text, answer.decidedBy);
  }
  if (diagnostics.failed())
    return;
  func::ReturnOp::create(ops, UnknownLoc::get(ops.getContext()), outputs.values());
  eraseDeadOps(function);
  nameEntryOps(function, builder.location());
  retype(function, symbols);
  function.setAllResultAttrs(llvm::map_to_vector(outputs.list(), [&](const ModelOutputs::Output &output) {
    return interfaceAttributes(ops.getContext(), output.name, output.element).getDictionary(ops.getContext());
  }));
  llvm::append_range(composites, outputs.composites());
  symbols.finish();
}

/// Nodes for which no op was made, or none that is read.
void Importer::recordGoneNodes() {
  graph::recordFate(function, knownNodes, graph::Fate::Folded);
  graph::NodeNames others;
  for (Attribute node : nodeNames)
    if (auto name = cast<StringAttr>(cast<ArrayAttr>(node)[0]); !knownNodes.contains(name))
      others.insert(name);
  graph::recordGone(function, others, graph::Fate::Dead);
}

OwningOpRef<ModuleOp> Importer::run() {
  if (!makeFunction())
    return nullptr;
  for (const auto &node : graph.node())
    importNode(node);
  listOtherProblems();
  OpBuilder front = OpBuilder::atBlockBegin(module->getBody());
  graph::ProvenanceOp::create(front, module->getLoc(), ops.getArrayAttr(nodeNames));
  makeReturn();
  if (diagnostics.failed() || !isValid(*module, diagnostics))
    return nullptr;
  setStrings(*module, builder.strings());
  recordGoneNodes();
  return std::move(module);
}

} // namespace

/// An input that steers one node may hide from another what it needs: a few rounds, each with more shape inputs. What
/// no input decides is read from data then.
static ImportedModel importRounds(const LoadedModel &model, const ShapeOptions &shapes, const Limits &limits,
                                  MLIRContext &context, Diagnostics &diagnostics, const OpLibrary &library) {
  std::set<std::string> shapeInputs;
  bool readsData = false;
  for (int roundsLeft = 8;; --roundsLeft) {
    Diagnostics problems = diagnostics;
    Importer importer(model, shapes, limits, context, problems, library, shapeInputs, readsData);
    OwningOpRef<ModuleOp> module = importer.run();
    const std::set<std::string> &wanted = importer.wantedShapeInputs();
    shapeInputs.insert(wanted.begin(), wanted.end());
    const bool hasMoreInputs = !wanted.empty() && roundsLeft > 0;
    if (!module && (hasMoreInputs || (importer.wantsData() && !std::exchange(readsData, true))))
      continue;
    diagnostics = std::move(problems);
    return {std::move(module), std::move(importer.composites), {}};
  }
}

ImportedModel importModel(const LoadedModel &model, const ShapeOptions &options, const Limits &limits,
                          MLIRContext &context, Diagnostics &diagnostics, const OpLibrary &library) {
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  Decisions decisions(model.proto->graph(), options);
  ImportedModel imported;
  const Diagnostics before = diagnostics;
  decisions.search([&](const ShapeOptions &shapes, Diagnostics &problems) {
    problems = before;
    ImportedModel next = importRounds(model, shapes, limits, context, problems, library);
    if (!next.module && imported.module)
      return false;
    imported = std::move(next);
    diagnostics = problems;
    return static_cast<bool>(imported.module);
  });
  imported.decisions = decisions.list();
  return imported;
}

} // namespace cupola::onnx_import
