//===- tools/cupola/Manual.cpp - cupola manual ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The page is made of the commands and options as they are declared, in the macros of man(7), without a date: equal
// programs have equal pages.

#include "tools/cupola/Command.h"

#include <cstdio>

namespace cupola::tool {

namespace {

/// Text as roff reads it back.
std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += "\\&"; // else a request
    result += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  }
  return result;
}

std::string bold(const std::string &text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string &text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string titleOf(const CLI::Option &option) {
  if (!option.nonpositional())
    return italic(option.get_name(/*positional=*/true));
  std::string title;
  for (const std::string &name : option.get_snames())
    title += bold("-" + name) + ", ";
  for (const std::string &name : option.get_lnames())
    title += bold("--" + name) + ", ";
  title.resize(title.size() - 2);
  return option.get_items_expected_max() > 0 ? title + " " + italic(option.get_type_name()) : title;
}

std::string entryOf(const CLI::Option &option) {
  const std::string preset = option.get_default_str();
  return ".TP\n" + titleOf(option) + "\n" + escaped(option.get_description()) +
         (preset.empty() ? "" : escaped(" [" + preset + "]")) + "\n";
}

/// The positional arguments come first, as on the command line. Of --help it says enough that the program has it.
std::string optionsOf(const CLI::App &app) {
  std::string text;
  for (bool isPositional : {true, false})
    for (const CLI::Option *option : app.get_options())
      if (option->nonpositional() != isPositional && (!app.get_parent() || option != app.get_help_ptr()))
        text += entryOf(*option);
  return text;
}

std::string synopsisOf(const CLI::App &command) {
  std::string text = ".SS " + bold("cupola " + command.get_name());
  for (const CLI::Option *option : command.get_options())
    if (!option->nonpositional())
      text += " " + italic(option->get_name(/*positional=*/true));
  return text + " [options]\n" + escaped(command.get_description()) + "\n";
}

std::string page(const CLI::App &app) {
  std::string text = ".TH CUPOLA 1 \"\" \"" + escaped(app.version()) +
                     "\" \"User Commands\"\n"
                     ".SH NAME\ncupola \\- compile, run and examine ONNX models\n"
                     ".SH SYNOPSIS\n" +
                     bold("cupola") + " " + italic("COMMAND") +
                     " [options]\n"
                     ".SH DESCRIPTION\n" +
                     escaped(app.get_description()) + "\n.SH OPTIONS\n" + optionsOf(app) + ".SH COMMANDS\n";
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    text += synopsisOf(*command) + optionsOf(*command);
  return text + ".SH NOTES\n.nf\n" + escaped(app.get_footer()) + "\n.fi\n";
}

} // namespace

std::function<int()> declareManual(CLI::App &app) {
  return [root = app.get_parent()] {
    std::fputs(page(*root).c_str(), stdout);
    return static_cast<int>(Code::Ok);
  };
}

} // namespace cupola::tool
