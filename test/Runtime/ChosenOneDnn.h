//===- test/Runtime/ChosenOneDnn.h - Which oneDNN a test opens ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CHOSENONEDNN_H
#define CUPOLA_TEST_RUNTIME_CHOSENONEDNN_H

#include <cstdlib>
#include <string>

namespace cupola::runtime::onednn {

/// $CUPOLA_ONEDNN for the life of it.
class Chosen {
public:
  explicit Chosen(const char *path) : before(std::getenv("CUPOLA_ONEDNN") ? std::getenv("CUPOLA_ONEDNN") : "") {
    ::setenv("CUPOLA_ONEDNN", path, 1);
  }
  ~Chosen() { ::setenv("CUPOLA_ONEDNN", before.c_str(), 1); }

private:
  std::string before;
};

} // namespace cupola::runtime::onednn

#endif // CUPOLA_TEST_RUNTIME_CHOSENONEDNN_H
