//===- lib/Runtime/Page/Page.h - A report as a page of a browser ---===//
// SPDX-License-Identifier: Apache-2.0
//
// page.html is the frame; page.css and the scripts beside it go into it, then the report. A page asks for nothing: its
// policy allows this one style and this one script, by their hashes, and nothing else. The report is data in it: the
// script shows texts of a report as texts only.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_PAGE_PAGE_H
#define CUPOLA_LIB_RUNTIME_PAGE_PAGE_H

#include <string>
#include <string_view>

namespace cupola::runtime {

/// `json` is a report of docs/schemas.md that page.html can show: cupola.explain/1, cupola.verify/1, cupola-run/1 or
/// cupola.inspect/1; of others it shows that it cannot. `title` is any text. The result is UTF-8 and depends on the two
/// alone.
std::string htmlPage(std::string_view title, std::string_view json);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_PAGE_PAGE_H
