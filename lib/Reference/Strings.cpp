//===- lib/Reference/Strings.cpp - the strings of an interpretation ---===//
// SPDX-License-Identifier: Apache-2.0
//
// And the ops that look into them, written for themselves: nothing of lib/Runtime/Host is in here.
//===----------------------------------------------------------------------===//

#include "lib/Reference/Strings.h"
#include "lib/Reference/Ops.h"

#include "dialects/Graph/Interface.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Error.h"

#include <clocale>
#include <cwctype>
#include <map>
#include <regex>

using namespace mlir;

namespace cupola::reference {

Strings::Strings(ModuleOp module) {
  if (auto list = module->getAttrOfType<ArrayAttr>(graph::stringsAttr))
    for (auto text : list.getAsRange<StringAttr>())
      numberOf(text.str());
}

int64_t Strings::numberOf(const std::string &text) {
  const auto [known, isNew] = numbers.emplace(text, static_cast<int64_t>(texts.size()));
  if (isNew)
    texts.push_back(text);
  return known->second;
}

Result<std::string> Strings::textOf(int64_t number) const {
  if (number < 0 || number >= static_cast<int64_t>(texts.size()))
    return Status::usage(std::to_string(number) + " is the number of no string");
  return texts[static_cast<size_t>(number)];
}

namespace {

Result<std::vector<std::string>> textsOf(Call &call, size_t operand) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < call.operands[operand].count(); ++i) {
    CUPOLA_ASSIGN(texts.emplace_back(), call.strings->textOf(call.operands[operand].at<int64_t>(i)));
  }
  return texts;
}

Status setTexts(Call &call, const std::vector<std::string> &texts) {
  if (static_cast<int64_t>(texts.size()) != call.result.count())
    return Status::usage("there are " + std::to_string(texts.size()) + " strings for " +
                         std::to_string(call.result.count()) + " elements");
  for (size_t i = 0; i < texts.size(); ++i)
    call.result.set<int64_t>(static_cast<int64_t>(i), call.strings->numberOf(texts[i]));
  return {};
}

std::string parameterOf(const Call &call, unsigned index) {
  return cast<StringAttr>(cast<graph::HostOp>(call.op).getParameters()[index]).str();
}

Status concat(Call &call) {
  CUPOLA_ASSIGN(std::vector<std::string> first, textsOf(call, 0));
  CUPOLA_ASSIGN(const std::vector<std::string> second, textsOf(call, 1));
  for (auto [text, end] : llvm::zip_equal(first, second))
    text += end;
  return setTexts(call, first);
}

//===--- Case and stop words ---===//

std::wstring wide(const std::string &text) {
  std::wstring result;
  return llvm::ConvertUTF8toWide(text, result) ? result : std::wstring(text.begin(), text.end());
}

std::string inCase(const std::string &text, const std::string &action) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  std::wstring letters = wide(text);
  for (wchar_t &letter : letters)
    letter = static_cast<wchar_t>(action == "lower"   ? towlower_l(static_cast<wint_t>(letter), unicode)
                                  : action == "upper" ? towupper_l(static_cast<wint_t>(letter), unicode)
                                                      : static_cast<wint_t>(letter));
  std::string result;
  return llvm::convertWideToUTF8(letters, result) ? result : text;
}

Result<std::vector<std::string>> normalized(Call &call) {
  CUPOLA_ASSIGN(const std::vector<std::string> texts, textsOf(call, 0));
  const std::string action = parameterOf(call, 0);
  const bool isSensitive = parameterOf(call, 1) == "1";
  const std::string folding = isSensitive ? "none" : action == "upper" ? "upper" : "lower";
  std::vector<std::string> stopWords, kept;
  for (unsigned i = 2; i < cast<graph::HostOp>(call.op).getParameters().size(); ++i)
    stopWords.push_back(inCase(parameterOf(call, i), folding));
  for (const std::string &text : texts)
    if (!llvm::is_contained(stopWords, inCase(text, folding)))
      kept.push_back(inCase(text, action));
  if (kept.empty())
    kept.push_back("");
  return kept;
}

Status countNormalized(Call &call) {
  CUPOLA_ASSIGN(const std::vector<std::string> kept, normalized(call));
  call.result.set<int64_t>(0, static_cast<int64_t>(kept.size()));
  return {};
}

Status normalize(Call &call) {
  CUPOLA_ASSIGN(const std::vector<std::string> kept, normalized(call));
  return setTexts(call, kept);
}

//===--- Parts ---===//

bool isSpace(wchar_t letter) {
  static const std::wstring spaces =
      L"\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\x1680\x2000\x2001\x2002\x2003\x2004\x2005\x2006"
      L"\x2007\x2008\x2009\x200a\x2028\x2029\x202f\x205f\x3000";
  return spaces.find(letter) != std::wstring::npos;
}

/// By a walk over the letters that keeps the part so far.
std::vector<std::string> splitAtSpaces(const std::string &text, int64_t most) {
  std::vector<std::wstring> parts;
  bool isInside = false;
  for (wchar_t letter : wide(text)) {
    const bool isLast = isInside && static_cast<int64_t>(parts.size()) == most + 1 && most >= 0;
    if (isSpace(letter) && !isLast) {
      isInside = false;
      continue;
    }
    if (!isInside)
      parts.emplace_back();
    isInside = true;
    parts.back() += letter;
  }
  std::vector<std::string> result(parts.size());
  for (auto [part, bytes] : llvm::zip_equal(parts, result))
    llvm::convertWideToUTF8(part, bytes);
  return result;
}

Result<std::vector<std::vector<std::string>>> partsOf(Call &call) {
  CUPOLA_ASSIGN(const std::vector<std::string> texts, textsOf(call, 0));
  const std::string delimiter = parameterOf(call, 0);
  const auto most = std::stoll(parameterOf(call, 1));
  std::vector<std::vector<std::string>> all;
  for (const std::string &text : texts) {
    if (delimiter.empty()) {
      all.push_back(splitAtSpaces(text, most));
      continue;
    }
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, delimiter, most < 0 ? -1 : static_cast<int>(std::min<int64_t>(most, INT_MAX)));
    all.emplace_back(parts.begin(), parts.end());
  }
  return all;
}

Status countParts(Call &call) {
  CUPOLA_ASSIGN(const auto all, partsOf(call));
  for (auto [i, parts] : llvm::enumerate(all))
    call.result.set<int64_t>(static_cast<int64_t>(i), static_cast<int64_t>(parts.size()));
  return {};
}

Status split(Call &call) {
  CUPOLA_ASSIGN(const auto all, partsOf(call));
  std::vector<std::string> padded;
  const size_t columns = all.empty() ? 0 : static_cast<size_t>(call.result.count()) / all.size();
  for (std::vector<std::string> parts : all) {
    parts.resize(columns);
    padded.insert(padded.end(), parts.begin(), parts.end());
  }
  return setTexts(call, padded);
}

//===--- Patterns ---===//

/// The library's matcher takes a frame of the stack per letter.
constexpr size_t mostLetters = 2000;

Status match(Call &call) {
  CUPOLA_ASSIGN(const std::vector<std::string> texts, textsOf(call, 0));
  const std::string given = parameterOf(call, 0);
  try {
    if (given.find("\\p") != std::string::npos ||
        given.find("\\P") != std::string::npos) // which std::regex takes for p
      throw std::regex_error(std::regex_constants::error_escape);
    const std::wregex pattern(wide(given));
    for (auto [i, text] : llvm::enumerate(texts)) {
      if (text.size() > mostLetters)
        return Status::unsupported("a text of " + std::to_string(text.size()) + " bytes is matched by runs alone");
      call.result.set<int64_t>(static_cast<int64_t>(i), std::regex_match(wide(text), pattern));
    }
  } catch (const std::regex_error &) {
    return Status::unsupported("the pattern is of a kind that runs alone match");
  }
  return {};
}

//===--- Numbers ---===//

const llvm::fltSemantics *semanticsOf(format::DType dtype) {
  switch (dtype) {
  case format::DType::F16:
    return &APFloat::IEEEhalf();
  case format::DType::BF16:
    return &APFloat::BFloat();
  case format::DType::F32:
    return &APFloat::IEEEsingle();
  case format::DType::F64:
    return &APFloat::IEEEdouble();
  default:
    return nullptr;
  }
}

Status parseFloat(const std::string &text, const llvm::fltSemantics &semantics, double &number) {
  APFloat value(semantics);
  const std::string small = StringRef(text).ltrim('+').lower();
  auto parsed = value.convertFromString(small == "infinity"    ? "inf"
                                        : small == "-infinity" ? "-inf"
                                                               : small,
                                        APFloat::rmNearestTiesToEven);
  if (!parsed)
    return llvm::consumeError(parsed.takeError()), Status::usage("'" + text + "' is no number");
  bool lost = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  number = value.convertToDouble();
  return {};
}

Status parseInteger(StringRef text, format::DType dtype, int64_t &number) {
  if (dtype == format::DType::Bool) {
    number = text == "1" || text.lower() == "true";
    return number || text == "0" || text.lower() == "false" ? Status()
                                                            : Status::usage("'" + text.str() + "' is no bool");
  }
  APInt wide;
  const bool isNegative = text.consume_front("-");
  if (!isNegative)
    text.consume_front("+");
  if (text.getAsInteger(10, wide) || wide.getActiveBits() > 64)
    return Status::usage("'" + text.str() + "' is no integer");
  number =
      static_cast<int64_t>(isNegative ? -wide.zextOrTrunc(64).getZExtValue() : wide.zextOrTrunc(64).getZExtValue());
  return {};
}

Status parse(Call &call) {
  CUPOLA_ASSIGN(const std::vector<std::string> texts, textsOf(call, 0));
  const llvm::fltSemantics *semantics = semanticsOf(call.result.dtype());
  for (auto [i, text] : llvm::enumerate(texts)) {
    const std::string trimmed = StringRef(text).trim().str();
    const auto place = static_cast<int64_t>(i);
    double real = 0;
    int64_t integer = 0;
    CUPOLA_TRY(semantics ? parseFloat(trimmed, *semantics, real) : parseInteger(trimmed, call.result.dtype(), integer));
    if (semantics)
      call.result.set(place, real);
    else
      call.result.set(place, integer);
  }
  return {};
}

/// As Python writes it: APFloat has the digits.
std::string floatText(double number, const llvm::fltSemantics &semantics) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  APFloat value(number);
  bool lost = false;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  SmallString<64> text;
  const double size = std::fabs(number);
  const bool isPlain = size == 0 || (size >= 1e-4 && size < 1e16);
  value.toString(text, /*FormatPrecision=*/0, isPlain ? 40 : 0, /*TruncateZero=*/true);
  std::string result = text.str().str();
  if (isPlain)
    return result.find('.') == std::string::npos ? result + ".0" : result;
  const size_t mark = result.find('E'); // "1.0E+20"
  std::string digits = result.substr(0, mark), exponent = result.substr(mark + 2);
  if (StringRef(digits).ends_with(".0"))
    digits.resize(digits.size() - 2);
  return digits + "e" + result[mark + 1] + (exponent.size() < 2 ? "0" : "") + exponent;
}

Status formatAll(Call &call) {
  const Tensor &numbers = call.operands[0];
  const llvm::fltSemantics *semantics = semanticsOf(numbers.dtype());
  std::vector<std::string> texts;
  for (int64_t i = 0; i < numbers.count(); ++i)
    if (semantics)
      texts.push_back(floatText(numbers.at<double>(i), *semantics));
    else if (numbers.dtype() == format::DType::Bool)
      texts.push_back(numbers.at<int64_t>(i) ? "True" : "False");
    else if (numbers.dtype() == format::DType::U64)
      texts.push_back(std::to_string(static_cast<uint64_t>(numbers.at<int64_t>(i))));
    else
      texts.push_back(std::to_string(numbers.at<int64_t>(i)));
  return setTexts(call, texts);
}

/// By a tree of all of them.
Status rank(Call &call) {
  CUPOLA_ASSIGN(const std::vector<std::string> texts, textsOf(call, 0));
  std::map<std::string, int64_t> ranks;
  for (const std::string &text : texts)
    ranks.emplace(text, 0);
  int64_t next = 0;
  for (auto &[text, number] : ranks)
    number = next++;
  for (auto [i, text] : llvm::enumerate(texts))
    call.result.set<int64_t>(static_cast<int64_t>(i), ranks.at(text));
  return {};
}

struct HostRow {
  StringRef name;
  OpFunction function;
};

constexpr HostRow hostTable[] = {
    {"string_concat", concat},       {"string_normalize_count", countNormalized},
    {"string_normalize", normalize}, {"string_split_count", countParts},
    {"string_split", split},         {"string_rank", rank},
    {"regex_full_match", match},     {"string_parse", parse},
    {"string_format", formatAll},
};

} // namespace

Status computeHost(Call &call) {
  auto op = cast<graph::HostOp>(call.op);
  if (call.operands.size() > op.getInputs().size()) { // `same`
    call.result = call.operands.back();
    return {};
  }
  for (const HostRow &row : hostTable)
    if (row.name == op.getFunction())
      return call.strings ? row.function(call)
                          : Status::unsupported("what the host computes of strings is known when the whole model is "
                                                "computed alone");
  return computeByRuntime(call);
}

} // namespace cupola::reference
