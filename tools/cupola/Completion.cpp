//===- tools/cupola/Completion.cpp - cupola completion ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The scripts are made of the commands and options as they are declared, so that they know all of them.

#include "tools/cupola/Command.h"

#include <cstdio>

namespace cupola::tool {

namespace {

/// The first clause, between single quotes of any of the shells: without what ends them or a text of zsh within.
std::string plain(const std::string &text) {
  const size_t end = std::min({text.find(": "), text.find("; "), text.find(". "), text.find('\n'), text.size()});
  std::string result;
  for (char c : text.substr(0, end))
    if (c != '\'' && c != '\\' && c != '[' && c != ']')
      result += c;
  return result;
}

/// An option by its long name, which each has.
struct Flag {
  std::string name; ///< "arch"
  std::string help;
  bool hasValue;
};

/// Those of the command, and of all commands but --help, which is among them, and --version.
std::vector<Flag> flagsOf(const CLI::App &command) {
  const CLI::App &app = *command.get_parent();
  const auto isFlag = [](const CLI::Option *option) { return option->nonpositional(); };
  const auto isCommon = [&](const CLI::Option *option) {
    return isFlag(option) && option != app.get_help_ptr() && option != app.get_version_ptr();
  };
  std::vector<const CLI::Option *> options = command.get_options(isFlag), common = app.get_options(isCommon);
  options.insert(options.end(), common.begin(), common.end());
  std::vector<Flag> flags;
  for (const CLI::Option *option : options) {
    flags.push_back(
        {option->get_lnames().front(), plain(option->get_description()), option->get_items_expected_max() > 0});
  }
  return flags;
}

/// In the order of --help.
std::vector<const CLI::App *> commandsOf(const CLI::App &app) {
  return app.get_subcommands([](const CLI::App *) { return true; });
}

std::string bashScript(const CLI::App &app) {
  std::string names, cases;
  for (const CLI::App *command : commandsOf(app)) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += "    " + command->get_name() + ") flags='";
    for (const Flag &flag : flagsOf(*command))
      cases += "--" + flag.name + " ";
    cases.back() = '\'';
    cases += " ;;\n";
  }
  return "_cupola() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} flags=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         "' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _cupola cupola\n";
}

std::string zshScript(const CLI::App &app) {
  std::string names, cases;
  for (const CLI::App *command : commandsOf(app)) {
    names += "    '" + command->get_name() + ":" + plain(command->get_description()) + "'\n";
    cases += "    " + command->get_name() + ")\n      _arguments -S";
    for (const Flag &flag : flagsOf(*command))
      cases += " \\\n        '*--" + flag.name + "[" + flag.help + "]" + (flag.hasValue ? ":value:_files" : "") + "'";
    cases += " \\\n        '*:file:_files' ;;\n";
  }
  return "#compdef cupola\n"
         "_cupola() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "compdef _cupola cupola\n";
}

std::string fishScript(const CLI::App &app) {
  std::string script;
  for (const CLI::App *command : commandsOf(app)) {
    const std::string &name = command->get_name();
    script += "complete -c cupola -n __fish_use_subcommand -f -a " + name + " -d '" +
              plain(command->get_description()) + "'\n";
    for (const Flag &flag : flagsOf(*command))
      script += "complete -c cupola -n '__fish_seen_subcommand_from " + name + "' -l " + flag.name +
                (flag.hasValue ? " -r" : "") + " -d '" + flag.help + "'\n";
  }
  return script;
}

struct Shell {
  const char *name;
  std::string (*script)(const CLI::App &app);
};
constexpr Shell shells[] = {{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}};

} // namespace

std::function<int()> declareCompletion(CLI::App &app) {
  auto chosen = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Shell &shell : shells)
    names.push_back(shell.name);
  app.add_option("SHELL", *chosen, "source <(cupola completion bash)")->required()->check(CLI::IsMember(names));
  return [chosen, root = app.get_parent()] {
    for (const Shell &shell : shells)
      if (*chosen == shell.name)
        std::fputs(shell.script(*root).c_str(), stdout);
    return static_cast<int>(Code::Ok);
  };
}

} // namespace cupola::tool
