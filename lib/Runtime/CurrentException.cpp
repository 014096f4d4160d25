//===- lib/Runtime/CurrentException.cpp - The exception in flight as a Status ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CurrentException.h"

#include <system_error>

namespace cupola::runtime {

Status currentException() {
  try {
    throw;
  } catch (const OutOfMemory &error) {
    return Status::environment("out of memory: " + std::to_string(error.wanted) + " bytes wanted");
  } catch (const std::bad_alloc &) {
    return Status::environment("out of memory");
  } catch (const std::system_error &error) {
    return Status::environment(std::string("the system refused: ") + error.what());
  } catch (const std::exception &error) {
    return Status::internal(std::string("an exception got lost: ") + error.what());
  } catch (...) {
    return Status::internal("an exception got lost");
  }
}

} // namespace cupola::runtime
