//===- lib/Runtime/Host/Numbers.cpp - numbers as texts and back ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As numpy writes them: the fewest digits that are read as the same number, 1e-4 to 1e16 without an exponent.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/VisitNumber.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace cupola::runtime {

namespace {

using format::DType;

/// Binary floats of 16 bits: bits of the fraction, and the exponent of the smallest normal number.
template <int fractionBits, int leastExponent> struct Small {
  uint16_t bits;

  static constexpr int kSpecial = (1 << (15 - fractionBits)) - 1; ///< the exponent field of infinity

  static Small of(double value) {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const auto made = [&](int magnitude) { return Small{static_cast<uint16_t>(sign | magnitude)}; };
    if (std::isnan(value))
      return made((kSpecial << fractionBits) | 1 << (fractionBits - 1));
    if (std::isinf(value))
      return made(kSpecial << fractionBits);
    if (value == 0)
      return made(0);
    const int exponent = std::max(std::ilogb(value), leastExponent);
    // In units of the last place; a carry makes the next exponent, and at last infinity.
    const double units = std::nearbyint(std::ldexp(std::fabs(value), fractionBits - exponent));
    return made(
        std::min(static_cast<int>(units) + ((exponent - leastExponent) << fractionBits), kSpecial << fractionBits));
  }
  double value() const {
    const int field = bits >> fractionBits & kSpecial, fraction = bits & ((1 << fractionBits) - 1);
    double size = field == 0 ? std::ldexp(fraction, leastExponent - fractionBits)
                             : std::ldexp(fraction + (1 << fractionBits), field - 1 + leastExponent - fractionBits);
    if (field == kSpecial)
      size = fraction == 0 ? INFINITY : NAN;
    return bits & 0x8000 ? -size : size;
  }
};
using Half = Small<10, -14>;
using BFloat = Small<7, -126>;

//===--- Texts of numbers ---===//

/// "d.ddde+xx" with the fewest digits, of a finite number.
template <class T> std::string shortest(T value) {
  char text[64], *const limit = text + sizeof(text);
  if constexpr (std::is_floating_point_v<T>) {
    const char *end = std::to_chars(text, limit, value, std::chars_format::scientific).ptr;
    return {static_cast<const char *>(text), end};
  } else {
    for (int digits = 0;; ++digits) {
      const char *end = std::to_chars(text, limit, value.value(), std::chars_format::scientific, digits).ptr;
      double read = 0;
      std::from_chars(text, end, read);
      if (T::of(read).bits == value.bits)
        return {static_cast<const char *>(text), end};
    }
  }
}

/// The same without an exponent, if it is small.
std::string plain(std::string text) {
  const std::string sign = text[0] == '-' ? "-" : "";
  text.erase(0, sign.size());
  const size_t mark = text.find('e');
  const int exponent = std::stoi(text.substr(mark + 1));
  if (exponent < -4 || exponent >= 16)
    return sign + text;
  std::string digits = text.substr(0, mark);
  digits.erase(std::min(digits.size(), size_t(1)), 1); // the point
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole)
    return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

template <class T> std::string floatText(T value) {
  double wide = 0;
  if constexpr (std::is_floating_point_v<T>)
    wide = static_cast<double>(value);
  else
    wide = value.value();
  if (std::isnan(wide))
    return "nan";
  if (std::isinf(wide))
    return wide < 0 ? "-inf" : "inf";
  return plain(shortest(value));
}

std::string textOf(float value) { return floatText(value); }
std::string textOf(double value) { return floatText(value); }
std::string textOf(Half value) { return floatText(value); }
std::string textOf(BFloat value) { return floatText(value); }
std::string textOf(bool value) { return value ? "True" : "False"; }
template <class T> std::string textOf(T value) { return std::to_string(value); }

//===--- Numbers of texts ---===//

template <class T> bool parsed(std::string_view text, T &value) {
  const char *end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end)
    return true;
  if constexpr (std::is_floating_point_v<T>)
    if (result.ec == std::errc::result_out_of_range && result.ptr == end) { // too large, or too close to 0
      const std::string copy(text);
      const size_t mark = copy.find_first_of("eE");
      const bool isTiny = mark != std::string::npos && mark + 1 < copy.size() && copy[mark + 1] == '-';
      const T size = isTiny ? T(0) : std::numeric_limits<T>::infinity();
      value = copy[0] == '-' ? -size : size;
      return true;
    }
  return false;
}

template <int fraction, int least> bool parsed(std::string_view text, Small<fraction, least> &value) {
  double wide = 0;
  const bool isNumber = parsed(text, wide);
  value = Small<fraction, least>::of(wide);
  return isNumber;
}

bool parsed(std::string_view text, bool &value) {
  value = text == "1" || text == "True" || text == "true";
  return value || text == "0" || text == "False" || text == "false";
}

/// Without spaces around it and a plus.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
  text.remove_prefix(begin);
  text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  return text;
}

/// Calls visit with a number of the type, which may be one that C++ lacks, or bool.
template <class Visit> Status withNumber(DType dtype, Visit visit) {
  if (dtype == DType::F16)
    return visit(Half());
  if (dtype == DType::BF16)
    return visit(BFloat());
  if (dtype == DType::Bool)
    return visit(bool());
  return visitNumber(dtype, visit);
}

/// A text of a caller as a message may show it.
std::string shown(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char &c : result)
    if (c < ' ' || c > '~')
      c = '?';
  return "'" + result + (text.size() > 40 ? "..'" : "'");
}

DType numberType(const HostCall &call) { return format::dtypeOf(format::HostElement::Number, call.arguments()); }

} // namespace

Status parseNumbers(HostCall &call) {
  CUPOLA_TRY(call.expectResults(call.count(0)));
  return withNumber(numberType(call), [&](auto number) -> Status {
    for (size_t i = 0; i < call.count(0); ++i) {
      CUPOLA_ASSIGN(const std::string_view text, call.text(0, i));
      if (!parsed(trimmed(text), number))
        return Status::usage("element " + std::to_string(i) + " is " + shown(text) + ", which is no " +
                             call.argument(0));
      call.put(i, number);
    }
    return Status::ok();
  });
}

Status formatNumbers(HostCall &call) {
  CUPOLA_TRY(call.expectResults(call.count(0)));
  return withNumber(numberType(call), [&](auto number) {
    for (size_t i = 0; i < call.count(0); ++i) {
      if constexpr (std::is_same_v<decltype(number), bool>)
        call.putText(i, textOf(call.number<uint8_t>(0, i) != 0));
      else
        call.putText(i, textOf(call.number<decltype(number)>(0, i)));
    }
    return Status::ok();
  });
}

} // namespace cupola::runtime
