//===- lib/Runtime/Format/Manifest.cpp - Package structs to and from manifest bytes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// One `fields` function per struct lists its fields as manifest.proto numbers
// them. The encoder and the decoder are two visitors of these lists, so they
// cannot disagree; test/Runtime/ManifestTest.cpp holds them against the code
// that protoc makes of manifest.proto.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Format/Manifest.h"
#include "lib/Runtime/Format/Wire.h"

#include <limits>
#include <type_traits>

namespace cupola::format {

namespace {

template <typename V> void fields(V &v, typename V::template Ref<Tensor> t) {
  v(1, t.name), v(2, t.dtype), v(3, t.dims), v(4, t.indexedExtent), v(5, t.mask), v(6, t.storage), v(7, t.memoryOf);
}

template <typename V> void fields(V &v, typename V::template Ref<Symbol> s) {
  v(1, s.id), v(2, s.name), v(3, s.min), v(4, s.max), v(5, s.divisor), v(6, s.run);
}

template <typename V> void fields(V &v, typename V::template Ref<Check> c) {
  v(1, c.lhs), v(2, c.relation), v(3, c.rhs), v(4, c.message);
}

template <typename V> void fields(V &v, typename V::template Ref<Weight> w) {
  v(1, w.name), v(2, w.dtype), v(3, w.dims), v(4, w.offset), v(5, w.bytes);
}

template <typename V> void fields(V &v, typename V::template Ref<Buffer> b) {
  v(1, b.kind), v(2, b.index), v(3, b.bytes), v(4, b.offset), v(5, b.first), v(6, b.last), v(7, b.planned);
}

template <typename V> void fields(V &v, typename V::template Ref<PostOp> p) {
  v(1, p.kind), v(2, p.alpha), v(3, p.beta);
}

template <typename V> void fields(V &v, typename V::template Ref<LibraryCall> c) {
  v(1, c.kind), v(2, c.source), v(3, c.weights), v(4, c.result), v(5, c.strides), v(6, c.dilations), v(7, c.padding),
      v(8, c.postOps), v(9, c.buffers);
}

template <typename V> void fields(V &v, typename V::template Ref<TensorMap> m) {
  v(1, m.buffer), v(2, m.offset), v(3, m.dtype), v(4, m.extents), v(5, m.strides), v(6, m.box), v(7, m.swizzle);
}

template <typename V> void fields(V &v, typename V::template Ref<Launch> l) {
  v(1, l.kernel), v(2, l.grid), v(3, l.buffers), v(4, l.scalars), v(5, l.call), v(6, l.maps);
}

template <typename V> void fields(V &v, typename V::template Ref<Copy> c) {
  v(1, c.source), v(2, c.target), v(3, c.bytes);
}

template <typename V> void fields(V &v, typename V::template Ref<Branch> b) {
  v(1, b.bodies), v(2, b.condition), v(3, b.captures), v(4, b.results), v(5, b.symbols), v(6, b.thenValues),
      v(7, b.elseValues);
}

template <typename V> void fields(V &v, typename V::template Ref<Carried> c) {
  v(1, c.initial), v(2, c.result), v(3, c.spare);
}

template <typename V> void fields(V &v, typename V::template Ref<Scanned> s) { v(1, s.row), v(2, s.rows); }

template <typename V> void fields(V &v, typename V::template Ref<CarriedExtent> e) {
  v(1, e.symbol), v(2, e.initial), v(3, e.next), v(4, e.last);
}

template <typename V> void fields(V &v, typename V::template Ref<Loop> l) {
  v(1, l.body), v(2, l.limit), v(3, l.trip), v(4, l.condition), v(5, l.proceed), v(6, l.captures), v(7, l.carried),
      v(8, l.scans), v(9, l.extents), v(10, l.index), v(11, l.count);
}

template <typename V> void fields(V &v, typename V::template Ref<Step> s) {
  v(1, s.kind), v(2, s.launch), v(3, s.copy), v(4, s.nodes), v(5, s.branch), v(6, s.loop);
}

template <typename V> void fields(V &v, typename V::template Ref<Kernel> k) {
  v(1, k.name), v(2, k.schedule), v(3, k.sourceHash), v(4, k.threads), v(5, k.sharedBytes), v(6, k.scratchBytes),
      v(7, k.grain), v(8, k.source), v(9, k.readWrite), v(10, k.flops), v(11, k.cluster), v(12, k.programmatic);
}

template <typename V> void fields(V &v, typename V::template Ref<Body> b) {
  v(1, b.scalars), v(2, b.buffers), v(3, b.steps), v(4, b.arenaBytes), v(5, b.checks);
}

template <typename V> void fields(V &v, typename V::template Ref<Program> p) {
  v(1, p.scalars), v(2, p.buffers), v(3, p.init), v(4, p.steps), v(5, p.kernels), v(6, p.arenaBytes), v(7, p.bodies);
}

template <typename V> void fields(V &v, typename V::template Ref<Source> s) {
  v(1, s.name), v(2, s.offset), v(3, s.bytes);
}

template <typename V> void fields(V &v, typename V::template Ref<Binary> b) {
  v(1, b.arch), v(2, b.kernels), v(3, b.offset), v(4, b.bytes);
}

template <typename V> void fields(V &v, typename V::template Ref<Variant> r) {
  v(1, r.target), v(2, r.arch), v(3, r.program), v(4, r.sources), v(5, r.binaries);
}

template <typename V> void fields(V &v, typename V::template Ref<Node> n) { v(1, n.name), v(2, n.op); }

template <typename V> void fields(V &v, typename V::template Ref<Report> r) { v(1, r.name), v(2, r.json); }

template <typename V> void fields(V &v, typename V::template Ref<Package> p) {
  v(1, p.format), v(2, p.producer), v(3, p.tools), v(4, p.inputs), v(5, p.outputs), v(6, p.symbols), v(7, p.checks),
      v(8, p.nodes), v(9, p.weights), v(10, p.headers), v(11, p.variants), v(12, p.reports);
}

template <typename T> constexpr bool isNumber = std::is_integral_v<T> || std::is_enum_v<T>;

template <typename T> uint64_t toWire(T value) {
  if constexpr (std::is_same_v<T, int64_t>)
    return zigzag(value);
  else
    return static_cast<uint64_t>(value);
}

/// Writes what differs from zero, as proto3 does.
class Encoder {
public:
  template <typename T> using Ref = const T &;

  template <typename T> void operator()(uint32_t field, const T &value) {
    if constexpr (isNumber<T>) {
      if (toWire(value) != 0) {
        out.tag(field, WireType::Varint);
        out.varint(toWire(value));
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.empty())
        out.bytes(field, value);
    } else {
      const std::string nested = encode(value);
      if (!nested.empty())
        out.bytes(field, nested);
    }
  }

  template <typename T> void operator()(uint32_t field, const std::vector<T> &values) {
    if constexpr (isNumber<T>) {
      WireWriter packed;
      for (T value : values)
        packed.varint(toWire(value));
      if (!values.empty())
        out.bytes(field, packed.text());
    } else if constexpr (std::is_same_v<T, std::string>) {
      for (const std::string &value : values)
        out.bytes(field, value);
    } else {
      for (const T &value : values)
        out.bytes(field, encode(value));
    }
  }

  template <typename T> static std::string encode(const T &value) {
    Encoder encoder;
    fields<Encoder>(encoder, value);
    return encoder.out.text();
  }

private:
  WireWriter out;
};

/// Offers the field at the reader's position to the list; the entry with its
/// number takes it. The messages nest to a fixed depth, so recursion is bounded.
class Decoder {
public:
  template <typename T> using Ref = T &;

  explicit Decoder(std::string_view bytes) : in(bytes) {}

  template <typename T> bool decode(T &value) {
    // A proto3 field that is not there is zero, whatever the struct starts with.
    reset = true;
    fields<Decoder>(*this, value);
    reset = false;
    while (!in.atEnd()) {
      number = in.tag();
      taken = false;
      fields<Decoder>(*this, value);
      if (!taken)
        in.skip();
    }
    return !in.failed();
  }

  template <typename T> void operator()(uint32_t field, T &value) {
    if (reset)
      return clear(value);
    if (field != number || taken || in.failed())
      return;
    taken = true;
    if constexpr (isNumber<T>)
      expect(WireType::Varint) ? readNumber(in, value) : in.fail();
    else
      expect(WireType::Bytes) ? readBytes(value) : in.fail();
  }

  template <typename T> void operator()(uint32_t field, std::vector<T> &values) {
    if (reset)
      return values.clear();
    if (field != number || taken || in.failed())
      return;
    taken = true;
    if (!expect(WireType::Bytes))
      return in.fail();
    if constexpr (isNumber<T>) {
      WireReader packed(in.bytes());
      while (!packed.atEnd())
        readNumber(packed, values.emplace_back());
      if (packed.failed())
        in.fail();
    } else {
      readBytes(values.emplace_back());
    }
  }

private:
  bool expect(WireType type) const { return in.type() == type; }

  template <typename T> static void clear(T &value) {
    if constexpr (isNumber<T>)
      value = static_cast<T>(0);
    else if constexpr (std::is_same_v<T, std::string>)
      value.clear();
    else
      Decoder({}).decode(value);
  }

  template <typename T> static void readNumber(WireReader &from, T &value) {
    const uint64_t word = from.varint();
    if constexpr (std::is_same_v<T, int64_t>) {
      value = unzigzag(word);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = word != 0;
    } else if constexpr (std::is_enum_v<T>) {
      using Under = std::underlying_type_t<T>;
      word > std::numeric_limits<Under>::max() ? from.fail() : void(value = T(word));
    } else {
      word > std::numeric_limits<T>::max() ? from.fail() : void(value = T(word));
    }
  }

  template <typename T> void readBytes(T &value) {
    const std::string_view bytes = in.bytes();
    if constexpr (std::is_same_v<T, std::string>)
      value = std::string(bytes);
    else if (!in.failed() && !Decoder(bytes).decode(value))
      in.fail();
  }

  WireReader in;
  uint32_t number = 0;
  bool taken = false;
  bool reset = false;
};

} // namespace

std::string serializeManifest(const Package &package) { return Encoder::encode(package); }

Status parseManifest(std::string_view bytes, Package &package) {
  if (!Decoder(bytes).decode(package))
    return Status::package("the manifest is not a valid message");
  return Status::ok();
}

} // namespace cupola::format
