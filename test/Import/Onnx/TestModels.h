//===- test/Import/Onnx/TestModels.h - models for tests --------------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_IMPORT_ONNX_TESTMODELS_H
#define CUPOLA_TEST_IMPORT_ONNX_TESTMODELS_H

#include "lib/Import/Onnx/Diagnostic.h"

#include "onnx/defs/parser.h"
#include "onnx/onnx_pb.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace cupola::onnx_import {

/// A model in ONNX's text form. Without a header, opset 17.
inline onnx::ModelProto modelOf(std::string text) {
  if (text.find("ir_version") == std::string::npos)
    text = "<ir_version: 8, opset_import: [\"\" : 17]>\n" + text;
  onnx::ModelProto model;
  onnx::OnnxParser parser(text.c_str());
  const auto status = parser.Parse(model);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return model;
}

/// The first error's text, "no error" without one.
inline std::string firstError(const Diagnostics &diagnostics) {
  return diagnostics.failed() ? diagnostics.errors()[0].text() : "no error";
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)

/// A folder that goes away with its contents.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cupola-test-XXXXXX").string();
    root = ::mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(root); }
  std::filesystem::path operator/(const std::string &name) const { return root / name; }

  std::string write(const std::string &name, const std::string &bytes) const {
    const std::filesystem::path path = root / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }

private:
  std::filesystem::path root;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_TEST_IMPORT_ONNX_TESTMODELS_H
