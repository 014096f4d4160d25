//===- lib/Runtime/CUDA/CublasLt.cpp - cuBLASLt, opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CublasLt.h"

#include "lib/Runtime/CUDA/LibraryPaths.h"
#include "lib/Runtime/DynamicLibrary.h"
#include "lib/Runtime/Format/Plan.h"

#include <algorithm>
#include <cstdlib>

namespace cupola::runtime::cuda {

using format::DType;
using format::LibraryCall;
using format::PostOpKind;

//===--- The library ---===//

static std::vector<std::string> candidates(const std::vector<int> &majors) {
  const char *chosen = std::getenv("CUPOLA_CUBLASLT");
  return chosen && *chosen ? std::vector<std::string>{chosen} : cudaLibraryCandidates("libcublasLt.so", majors);
}

Result<std::shared_ptr<const CublasLt>> CublasLt::load(const std::vector<int> &majors) {
  const std::vector<std::string> paths = candidates(majors);
  if (paths == std::vector<std::string>{"none"})
    return Status::environment("CUPOLA_CUBLASLT is none");
  DynamicLibrary library;
  std::string tried;
  if (!library.openFirst(paths, tried))
    return Status::environment("cuBLASLt was not found; set CUPOLA_CUDA_HOME to a CUDA toolkit or install the package "
                               "nvidia-cublas; tried:\n" +
                               tried);
  CublasLtApi api = {};
  for (const CublasLtSymbol &row : cublasLtSymbols) {
    void *address = library.symbol(row.name);
    if (!address)
      return Status::environment(library.path() + " has no " + row.name + ": cuBLASLt 12 or 13 is needed");
    *reinterpret_cast<void **>(reinterpret_cast<char *>(&api) + row.offset) = address;
  }
  return create(api, library.path());
}

Result<std::shared_ptr<const CublasLt>> CublasLt::create(const CublasLtApi &api, const std::string &path) {
  std::shared_ptr<CublasLt> made(new CublasLt);
  made->table = api;
  made->libraryPath = path;
  const size_t version = api.getVersion();
  made->title = "cuBLASLt " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
                std::to_string(version % 100);
  if (version / 10000 != 12 && version / 10000 != 13)
    return Status::environment(path + " is " + made->title + ": version 12 or 13 is needed");
  return std::shared_ptr<const CublasLt>(std::move(made));
}

Status CublasLt::check(BlasStatus code, const std::string &what) const {
  if (code == blasSuccess)
    return {};
  return Status::environment(title + " cannot " + what + " (" + table.getStatusName(code) + ", " +
                             std::to_string(code) + ")");
}

//===--- A product ---===//

static int typeOf(DType dtype) { return dtype == DType::F32 ? blasF32 : dtype == DType::F16 ? blasF16 : blasBF16; }

/// The address stands for what every address of a bias is a multiple of: the heuristic looks at that alone.
static const uint64_t anyBias = format::kTensorAlignment;

struct PostOpRow {
  PostOpKind kind;
  uint32_t epilogue; ///< bits; 0: it is the product's third matrix
  const char *name;
};
static constexpr PostOpRow postOps[] = {{PostOpKind::AddChannel, blasBias, "a vector"},
                                        {PostOpKind::AddTensor, 0, "a tensor"},
                                        {PostOpKind::Relu, blasRelu, "relu"},
                                        {PostOpKind::GeluTanh, blasGelu, "gelu"}};

/// The rows of a call's post-ops, in the order of the table: that of sums does not matter.
static std::vector<PostOpRow> rowsOf(const LibraryCall &call) {
  std::vector<PostOpRow> rows;
  for (const PostOpRow &row : postOps)
    if (std::any_of(call.postOps.begin(), call.postOps.end(), [&](const auto &op) { return op.kind == row.kind; }))
      rows.push_back(row);
  return rows;
}

static uint32_t epilogueOf(const LibraryCall &call) {
  uint32_t bits = 0;
  for (const PostOpRow &row : rowsOf(call))
    bits |= row.epilogue;
  return bits == 0 ? uint32_t(blasPlain) : bits;
}

static std::string listText(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return text + "]";
}

static std::string textOf(const LibraryCall &call) {
  std::string text = std::string(format::dtypeName(call.dtype)) + " " + listText(call.source) + " by " +
                     listText(call.weights) + ", steps " + listText(call.sourceStrides) + " and " +
                     listText(call.weightsStrides);
  for (const PostOpRow &row : rowsOf(call))
    text += std::string(", ") + row.name;
  return text + ", " + std::to_string(call.workspace) + " bytes of workspace";
}

Result<std::unique_ptr<CublasLtProblem>> CublasLtProblem::create(std::shared_ptr<const CublasLt> library,
                                                                 const LibraryCall &call) {
  std::unique_ptr<CublasLtProblem> made(new CublasLtProblem(std::move(library)));
  made->summary = textOf(call);
  made->workspaceBytes = call.workspace;
  made->narrow = call.dtype != DType::F32;
  CUPOLA_TRY(made->describe(call));
  return made;
}

Status CublasLtProblem::describe(const LibraryCall &call) {
  const CublasLtApi &api = library->api();
  BlasProduct made = nullptr;
  CUPOLA_TRY(library->check(api.createProduct(&made, blasCompute32, blasF32), "describe a product"));
  description = {made, api.destroyProduct};
  const uint32_t epilogue = epilogueOf(call);
  BlasStatus code = api.setProduct(made, blasEpilogue, &epilogue, sizeof(epilogue));
  if (code == blasSuccess && (epilogue & blasBias))
    code = api.setProduct(made, blasBiasPointer, &anyBias, sizeof(anyBias));
  CUPOLA_TRY(library->check(code, "describe the epilogue of " + summary));
  CUPOLA_TRY(addOperand(call, /*isWeights=*/true));
  CUPOLA_TRY(addOperand(call, /*isWeights=*/false));
  const std::vector<int64_t> &result = call.result;
  return makeLayout(typeOf(call.dtype), result[2], result[1], result[2], result[0], result[1] * result[2], d);
}

/// The transposed matrix, of which the library reads what lies in one piece as a column.
Status CublasLtProblem::addOperand(const LibraryCall &call, bool isWeights) {
  const std::vector<int64_t> &extents = isWeights ? call.weights : call.source;
  const std::vector<int64_t> &strides = isWeights ? call.weightsStrides : call.sourceStrides;
  const bool hasRows = strides[2] == 1 && strides[1] >= extents[2];
  const size_t inner = hasRows ? 2 : 1, outer = hasRows ? 1 : 2;
  const int32_t operation = hasRows ? blasNormal : blasTransposed;
  CUPOLA_TRY(library->check(
      library->api().setProduct(product(), isWeights ? blasTransposeA : blasTransposeB, &operation, sizeof(operation)),
      "describe an operand of " + summary));
  return makeLayout(typeOf(call.dtype), extents[inner], extents[outer], strides[outer], extents[0], strides[0],
                    isWeights ? a : b);
}

Status CublasLtProblem::makeLayout(int type, int64_t rows, int64_t columns, int64_t step, int64_t batch,
                                   int64_t batchStep, BlasOwned<BlasLayout> &layout) {
  const CublasLtApi &api = library->api();
  BlasLayout made = nullptr;
  BlasStatus code = api.createLayout(&made, type, uint64_t(rows), uint64_t(columns), step);
  CUPOLA_TRY(library->check(code, "describe a matrix of " + summary));
  layout = {made, api.destroyLayout};
  if (batch == 1)
    return {};
  const int32_t count = int32_t(batch);
  code = api.setLayout(made, blasBatchCount, &count, sizeof(count));
  if (code == blasSuccess)
    code = api.setLayout(made, blasBatchStride, &batchStep, sizeof(batchStep));
  return library->check(code, "describe a batch of " + summary);
}

} // namespace cupola::runtime::cuda
