//===- test/Target/CUDA/WindowTexts.cpp - convolutions and windows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelText.h"
#include "test/Target/CUDA/KernelTexts.h"

namespace cupola::test {

namespace {

/// A position in images [n, h, w, c], or [n, c, h, w], and when it lies inside of them.
struct Pixel {
  Expr linear;
  Exprs inside;

  Pixel(const ConvOptions &o, const Expr &image, const Expr &y, const Expr &x, const Expr &channel)
      : linear(o.channelsFirst ? ((image * o.channels + channel) * o.height + y) * o.width + x
                               : ((image * o.height + y) * o.width + x) * (o.channels * o.groups) + channel) {
    if (o.pad > 0)
      inside = {y, o.height - 1 - y, x, o.width - 1 - x};
  }

  std::string mask(const std::string &other, const std::string &type) const {
    return inside.empty() ? "" : " mask [" + list(inside) + "] else " + other + " : " + type;
  }
};

int64_t outputExtent(int64_t in, const ConvOptions &o) {
  return (in + 2 * o.pad - o.dilation * (o.taps - 1) - 1) / o.stride + 1;
}

std::string nameOf(const std::string &what, const ConvOptions &o, int64_t columns) {
  std::string name = what + "_" + o.type;
  for (int64_t number : {o.images, o.height, o.width, o.channels, columns, o.taps})
    name += tag(number);
  for (auto [set, word] : {std::pair(o.stride > 1, "stride"),
                           {o.dilation > 1, "dilated"},
                           {o.pad > 0, "padded"},
                           {o.groups > 1, "grouped"},
                           {o.dynamic, "dynamic"},
                           {o.channelsFirst, "channelsFirst"}})
    name += set ? std::string("_") + word : "";
  name += o.fill ? "_fill" + tag(o.fill) : "";
  return name + (o.tf32.empty() ? "" : "_" + o.tf32);
}

/// Elements of an input without groups that no window reaches.
std::vector<int64_t> unreadOf(const ConvOptions &o) {
  std::vector<bool> isRead(o.images * o.height * o.width * o.channels * o.groups);
  std::map<std::string, int64_t> at;
  for (at["i"] = 0; at["i"] < o.images; ++at["i"])
    for (at["y"] = -o.pad; at["y"] <= o.height + o.pad - o.dilation * (o.taps - 1) - 1; at["y"] += o.stride)
      for (at["x"] = -o.pad; at["x"] <= o.width + o.pad - o.dilation * (o.taps - 1) - 1; at["x"] += o.stride)
        for (int64_t tap = 0; tap < o.taps * o.taps; ++tap)
          for (at["c"] = 0; at["c"] < o.channels * o.groups; ++at["c"]) {
            const int64_t y = at["y"] + tap / o.taps * o.dilation, x = at["x"] + tap % o.taps * o.dilation;
            if (y >= 0 && y < o.height && x >= 0 && x < o.width)
              isRead[*Pixel(o, v("i"), y, x, v("c")).linear.evaluate(at)] = true;
          }
  std::vector<int64_t> unread;
  for (size_t i = 0; i < isRead.size(); ++i)
    if (!isRead[i])
      unread.push_back(static_cast<int64_t>(i));
  return unread;
}

} // namespace

KernelCase convCase(int64_t columns, const ConvOptions &o) {
  Text text;
  const std::string &type = o.type;
  int64_t oh = outputExtent(o.height, o), ow = outputExtent(o.width, o);
  Expr rows = (o.dynamic ? v("n0") : Expr(o.images)) * (oh * ow), m = v("d0"), k = v("d2");
  Expr depth = o.taps * o.taps * o.channels, group = o.groups > 1 ? v("g0") : Expr(0);
  Exprs extents = {rows, columns};
  const bool areBytes = type == "ui8" || type == "i8";
  const std::string weights = areBytes ? "i8" : type, sums = areBytes ? "i32" : "f32";
  std::string tile = text.dot({rows, columns, depth}, o.tf32.empty() ? "" : " tf32 " + o.tf32);
  Expr y = mod(floorDiv(m, ow), oh) * o.stride + mod(floorDiv(k, o.channels * o.taps), o.taps) * o.dilation - o.pad;
  Expr x = mod(m, ow) * o.stride + mod(floorDiv(k, o.channels), o.taps) * o.dilation - o.pad;
  Pixel pixel(o, floorDiv(m, oh * ow), y, x, group * o.channels + mod(k, o.channels));
  std::string zero = text.number(areBytes ? std::to_string(o.fill) : "0.0", type);
  text.yield(text.line("kernel.load %a0[" + inOp(pixel.linear) + "]" + pixel.mask(zero, type) + " : " + type +
                       " from !kernel.view<" + type + ", read>"),
             type);
  text.rhs();
  int64_t outputs = columns * o.groups;
  const Expr column = group * columns + v("d1"), weight = areBytes ? column * depth + k : k * outputs + column;
  text.yield(text.loadStored(1, weights, weight), weights);
  text.close(tileType(sums, extents));
  text.loop({v("d3"), v("d4")}, extents);
  Expr n = group * columns + v("d4"), out = v("d3") * outputs + n;
  std::string sum = text.extract(tile, {v("d3"), v("d4")}, sums, extents);
  if (areBytes) {
    text.store(text.requantized(sum, {2, n}, {3, out}, type), 4, type, out);
  } else {
    sum = text.binary("add", sum, text.load(2, type, n), "f32");
    sum = text.binary("add", sum, text.load(3, type, out), "f32");
    text.store(text.unary("relu", sum, "f32"), 4, type, out);
  }
  text.raw("}");
  const std::string read = ", read", bias = areBytes ? "i32" : type;
  Exprs grid = o.groups > 1 ? Exprs{o.groups} : Exprs{};
  int64_t places = o.images * oh * ow;
  return {nameOf("conv", o, columns),
          !o.schedule.empty() ? o.schedule.substr(0, o.schedule.find('<'))
          : type == "f32"     ? "gemm"
                              : "gemm_mma",
          text.func("conv", grid, o.dynamic ? anyScalar : "",
                    {type + read, weights + read, bias + read, weights + read, type + ", write"},
                    o.schedule.find('<') == std::string::npos ? "" : "#cuda." + o.schedule),
          o.dynamic ? std::vector<int64_t>{o.images} : std::vector<int64_t>{},
          {o.images * o.height * o.width * o.channels * o.groups, *depth.constant() * outputs, outputs,
           places * outputs, places * outputs},
          areBytes ? allBytes : 7,
          false,
          unreadOf(o),
          o.tf32 == "x1" ? tf32Tolerance : 0};
}

KernelCase windowCase(const std::string &kind, const ConvOptions &o) {
  Text text;
  const std::string &type = o.type;
  int64_t oh = outputExtent(o.height, o), ow = outputExtent(o.width, o);
  std::string compute = computeOf(type);
  std::string sum = text.reduce(kind, {v("d0"), v("d1")}, {o.taps, o.taps});
  Expr y = v("g1") * o.stride + v("d0") * o.dilation - o.pad;
  Expr x = v("g2") * o.stride + v("d1") * o.dilation - o.pad, channel = v("g3");
  Pixel pixel(o, v("g0"), y, x, channel);
  std::string zero = text.line("kernel.constant 0.0 : " + type);
  std::string value = text.load(0, type, pixel.linear, pixel.mask(zero, type));
  text.yield(
      text.binary("mul", value, text.load(1, type, (v("d0") * o.taps + v("d1")) * o.channels + channel), compute),
      compute);
  text.close(compute);
  Expr out = o.channelsFirst ? ((v("g0") * o.channels + channel) * oh + v("g1")) * ow + v("g2")
                             : ((v("g0") * oh + v("g1")) * ow + v("g2")) * o.channels + channel;
  text.store(text.binary("add", sum, text.load(2, type, channel), compute), 3, type, out);
  int64_t places = o.images * oh * ow;
  Exprs grid = {v("n0"), oh, ow, o.channels};
  const bool isGiven = o.schedule.find('<') != std::string::npos;
  return {nameOf("window_" + kind, o, o.channels) + (isGiven ? "_" + wordsOf(o.schedule) : ""),
          o.schedule.substr(0, o.schedule.find('<')),
          text.func("reduction", grid, anyScalar, {type + ", read", type + ", read", type + ", read", type + ", write"},
                    isGiven ? "#cuda." + o.schedule : ""),
          {o.images},
          {o.images * o.height * o.width * o.channels, o.taps * o.taps * o.channels, o.channels, places * o.channels}};
}

} // namespace cupola::test
