// SPDX-License-Identifier: Apache-2.0
#include "asm/text/type_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <climits>
#include <utility>

#include "asm/text/type_words.hpp"

namespace ptox::assembly {

using pto::instr::unknown;

namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

/// Splits at commas that are outside brackets.
std::vector<std::string_view> split(std::string_view s) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '<' || s[i] == '[' || s[i] == '(') ++depth;
    if (s[i] == '>' || s[i] == ']' || s[i] == ')') --depth;
    if (s[i] == ',' && depth == 0) parts.push_back(trimmed(s.substr(begin, i - begin))), begin = i + 1;
  }
  parts.push_back(trimmed(s.substr(begin)));
  return parts;
}

std::optional<std::int64_t> number(std::string_view s) {
  std::int64_t n = 0;
  const auto [end, fault] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (fault != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return n;
}
/// A number, or unknown for `?` and -1.
std::optional<std::int64_t> extent(std::string_view s) {
  if (s == "?" || s == "-1") return unknown;
  const auto n = number(s);
  return n && *n >= 0 ? n : std::nullopt;
}

bool is_placeholder(std::string_view s) {
  return s.empty() || std::isupper(static_cast<unsigned char>(s.front())) ||
         std::find(std::begin(placeholders), std::end(placeholders), s) != std::end(placeholders);
}

/// The parts of `8x?xf32`: extents and the remaining text.
struct Dims {
  std::vector<std::int64_t> extents;
  std::string_view rest;
  bool schematic = false;
};
Dims dims(std::string_view s) {
  Dims d;
  for (;;) {
    const std::size_t x = s.find('x');
    if (x == std::string_view::npos) break;
    const std::string_view part = s.substr(0, x);
    const auto n = extent(part);
    const bool name = !n && !part.empty() && std::isupper(static_cast<unsigned char>(part.front()));
    if (!n && !name) break;
    d.extents.push_back(n.value_or(unknown));
    d.schematic |= name;
    s.remove_prefix(x + 1);
  }
  d.rest = s;
  return d;
}

/// Whether a part is schematic: `...`, `N`, `NxMxT`, `rows`.
bool schematic_part(std::string_view part) {
  if (part.find("...") != std::string_view::npos || part.find("…") != std::string_view::npos) return true;
  if (const std::size_t eq = part.find('='); eq != std::string_view::npos) part = trimmed(part.substr(eq + 1));
  const Dims d = dims(part);
  return d.schematic || is_placeholder(d.rest);
}

class Parser {
 public:
  ParsedType run(std::string_view text) {
    text = trimmed(text);
    const std::size_t open = text.find('<');
    const std::string_view word = trimmed(text.substr(0, open));
    const auto kind = find(kinds, word);
    if (!kind) return fail("there is no type '!pto." + std::string(word) + "'; there are " + list(kinds));
    spec_.kind = *kind;
    if (*kind == Kind::hif8) {
      spec_.dtype = DType::hif8;
      return open == std::string_view::npos ? done() : fail("hif8 takes no parameters");
    }
    if (open == std::string_view::npos || text.back() != '>')
      return fail("!pto." + std::string(word) + " needs its parameters in < and >");
    const std::string_view body = trimmed(text.substr(open + 1, text.size() - open - 2));
    const std::vector<std::string_view> parts = split(body);
    if (std::any_of(parts.begin(), parts.end(), schematic_part)) {
      spec_.schematic = true;
      spec_.text = body;
      return done();
    }
    const bool good = spec_.is_tile() ? tile(parts) : *kind == Kind::group ? group(parts) : tensor(parts);
    return good ? done()
                : ParsedType{std::nullopt, "!pto." + std::string(word) + "<" + std::string(body) + ">: " + error_};
  }

 private:
  ParsedType done() { return {spec_, ""}; }
  ParsedType fail(std::string why) { return {std::nullopt, std::move(why)}; }
  bool wrong(std::string why) {
    error_ = std::move(why);
    return false;
  }
  template <class T, std::size_t N>
  bool take(const char* what, const Word<T> (&words)[N], std::string_view text, T& out) {
    const auto value = find(words, text);
    if (!value) return wrong(std::string(what) + " is '" + std::string(text) + "'; it must be one of " + list(words));
    out = *value;
    return true;
  }
  bool take_dtype(std::string_view text) {
    const auto d = find_dtype(text);
    if (!d) return wrong("'" + std::string(text) + "' is no element type");
    spec_.dtype = spec_.tile.dtype = *d;
    return has_dtype_ = true;
  }
  bool take_extent(const char* what, std::string_view text, std::int64_t& out, bool may_be_open) {
    const auto n = extent(text);
    if (!n || (*n == unknown && !may_be_open) || *n > INT_MAX)
      return wrong(std::string(what) + " is '" + std::string(text) + "', not a number from 0 to 2147483647" +
                   (may_be_open ? ", -1 or ?" : ""));
    out = *n;
    return true;
  }
  bool take_block(std::string_view text) {
    const Dims d = dims(text);
    if (d.extents.size() != 2) return wrong("'" + std::string(text) + "' is not rows x columns x element type");
    for (std::int64_t n : d.extents)
      if (n == unknown || n > INT_MAX)
        return wrong("padded extents are numbers up to 2147483647 in '" + std::string(text) + "'");
    spec_.tile.rows = d.extents[0], spec_.tile.cols = d.extents[1];
    rows_ = cols_ = true;
    return take_dtype(d.rest);
  }
  bool take_valid(std::string_view text) {
    const std::size_t x = text.find('x');
    if (x == std::string_view::npos) return wrong("valid is '" + std::string(text) + "', not rows x columns");
    return take_extent("valid rows", text.substr(0, x), spec_.tile.valid_rows, v_row_ = true) &&
           take_extent("valid columns", text.substr(x + 1), spec_.tile.valid_cols, v_col_ = true);
  }

  bool tile(const std::vector<std::string_view>& parts) {
    const bool tuple = parts.size() == 8 && std::none_of(parts.begin(), parts.end(), [](std::string_view p) {
                         return p.find('=') != std::string_view::npos;
                       });
    constexpr std::string_view order[] = {"loc", "dtype", "rows", "cols", "blayout", "slayout", "fractal", "pad"};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t eq = parts[i].find('=');
      if (tuple                          ? !key(order[i], parts[i])
          : eq != std::string_view::npos ? !key(trimmed(parts[i].substr(0, eq)), trimmed(parts[i].substr(eq + 1)))
                                         : !positional(parts[i]))
        return false;
    }
    if (!rows_ || !cols_ || !has_dtype_) return wrong("rows, cols and dtype are needed");
    if (!v_row_) spec_.tile.valid_rows = spec_.tile.rows;
    if (!v_col_) spec_.tile.valid_cols = spec_.tile.cols;
    const std::int64_t bytes = pto::instr::checked_product(spec_.tile.rows, spec_.tile.cols, 8);
    if (bytes < 0 || bytes > std::int64_t{1} << 40) return wrong("the tile takes more than 2^40 bytes");
    return true;
  }
  bool positional(std::string_view part) {
    if (find(locations, part)) return take("loc", locations, part, spec_.tile.loc);
    if (part.find('x') != std::string_view::npos) return take_block(part);
    return wrong("'" + std::string(part) + "' is neither rows x columns x element type nor one of " + list(locations));
  }
  bool key(std::string_view name, std::string_view value) {
    if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) return wrong(std::string(name) + " is given twice");
    seen_.push_back(name);
    TileDesc& t = spec_.tile;
    if (name == "loc") return take("loc", locations, value, t.loc);
    if (name == "dtype") return take_dtype(value);
    if (name == "rows") return take_extent("rows", value, t.rows, false) && (rows_ = true);
    if (name == "cols") return take_extent("cols", value, t.cols, false) && (cols_ = true);
    if (name == "v_row") return take_extent("v_row", value, t.valid_rows, v_row_ = true);
    if (name == "v_col") return take_extent("v_col", value, t.valid_cols, v_col_ = true);
    if (name == "valid") return take_valid(value);
    if (name == "blayout") return take("blayout", blayouts, value, t.blayout);
    if (name == "slayout") return take("slayout", slayouts, value, t.slayout);
    if (name == "pad") return take("pad", pads, value, t.pad);
    if (name == "fractal") {
      std::int64_t n = 0;
      if (!take_extent("fractal", value, n, false)) return false;
      t.fractal = static_cast<int>(n);
      return true;
    }
    return wrong("there is no key '" + std::string(name) +
                 "'; there are loc, dtype, rows, cols, v_row, v_col, valid, blayout, slayout, fractal, pad");
  }

  bool group(const std::vector<std::string_view>& parts) {
    const auto n = number(parts[0]);
    if (parts.size() != 1 || !n || *n < 1 || *n > INT_MAX) return wrong("a group has a number of ranks, at least 1");
    spec_.ranks = *n;
    return true;
  }

  bool tensor(const std::vector<std::string_view>& parts) {
    const Dims first = dims(parts[0]);
    if (!take_dtype(first.rest)) return false;
    std::vector<std::int64_t> shape = first.extents;
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (!tensor_option(parts[i], shape)) return false;
    if (shape.size() > 5) return wrong("a tensor has at most five extents; this has " + std::to_string(shape.size()));
    if (spec_.kind == Kind::ptr && !shape.empty()) return wrong("a pointer has no extents");
    if (spec_.is_tensor() && spec_.kind != Kind::memref && shape.empty()) return wrong("a view has extents");
    if (!spec_.strides.empty() && spec_.strides.size() != shape.size())
      return wrong("there are " + std::to_string(shape.size()) + " extents and " +
                   std::to_string(spec_.strides.size()) + " strides");
    spec_.shape = std::move(shape);
    return true;
  }
  bool tensor_option(std::string_view part, std::vector<std::int64_t>& shape) {
    const std::size_t eq = part.find('=');
    if (eq == std::string_view::npos) {
      if (part == "gm") return true;  // the only memory space of these types
      if (!shape.empty()) return wrong("'" + std::string(part) + "' comes after the extents");
      for (std::size_t at = 0; at <= part.size();) {
        const std::size_t x = std::min(part.find('x', at), part.size());
        const auto n = extent(part.substr(at, x - at));
        if (!n) return wrong("'" + std::string(part) + "' is no shape");
        shape.push_back(*n);
        at = x + 1;
      }
      return true;
    }
    const std::string_view name = trimmed(part.substr(0, eq)), value = trimmed(part.substr(eq + 1));
    if (name == "layout") return take("layout", layouts, value, spec_.layout);
    if (name == "strides") return take_strides(value);
    return wrong("there is no key '" + std::string(name) + "'; there are layout, strides");
  }
  bool take_strides(std::string_view value) {
    if (value.size() < 2 || value.front() != '[' || value.back() != ']') return wrong("strides are written in [ and ]");
    for (std::string_view part : split(value.substr(1, value.size() - 2))) {
      const auto n = part == "?" ? std::optional(unknown) : number(part);
      if (!n) return wrong("'" + std::string(part) + "' is no stride");
      spec_.strides.push_back(*n);
    }
    return true;
  }

  TypeSpec spec_;
  std::string error_;
  std::vector<std::string_view> seen_;
  bool rows_ = false, cols_ = false, v_row_ = false, v_col_ = false, has_dtype_ = false;
};

std::string extent_text(std::int64_t n) { return n == unknown ? "?" : std::to_string(n); }

std::string tile_text(const TypeSpec& s) {
  const TileDesc& t = s.tile;
  TileDesc plain{.dtype = t.dtype, .rows = t.rows, .cols = t.cols, .valid_rows = t.rows, .valid_cols = t.cols};
  std::string block = std::to_string(t.rows) + "x" + std::to_string(t.cols) + "x" + dtype_text(t.dtype);
  if (s.kind == Kind::tile && t == plain) return block;
  std::string out = "loc=" + std::string(spell(locations, t.loc)) + ", dtype=" + dtype_text(t.dtype) +
                    ", rows=" + std::to_string(t.rows) + ", cols=" + std::to_string(t.cols);
  out += ", v_row=" + extent_text(t.valid_rows) + ", v_col=" + extent_text(t.valid_cols);
  out +=
      ", blayout=" + std::string(spell(blayouts, t.blayout)) + ", slayout=" + std::string(spell(slayouts, t.slayout));
  return out + ", fractal=" + std::to_string(t.fractal) + ", pad=" + std::string(spell(pads, t.pad));
}

std::string tensor_text(const TypeSpec& s) {
  std::string out;
  for (std::int64_t n : s.shape) out += extent_text(n) + "x";
  out += dtype_text(s.dtype);
  if (!s.strides.empty()) {
    out += ", strides=[";
    for (std::size_t i = 0; i < s.strides.size(); ++i) out += (i ? ", " : "") + extent_text(s.strides[i]);
    out += "]";
  }
  if (s.layout != Layout::ND) out += ", layout=" + std::string(spell(layouts, s.layout));
  return out;
}

}  // namespace

TensorDesc TypeSpec::tensor() const {
  TensorDesc t{.dtype = dtype, .layout = layout};
  const std::size_t pad = 5 - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) t.shape[pad + i] = shape[i];
  if (shape.empty()) std::fill(std::begin(t.shape), std::end(t.shape), unknown);
  if (layout == Layout::DN) std::swap(t.shape[3], t.shape[4]);  // column-major: columns are contiguous
  auto packed = packed_strides(t.shape);
  if (layout == Layout::DN) std::swap(t.shape[3], t.shape[4]), std::swap(packed[3], packed[4]);
  std::copy(packed.begin(), packed.end(), t.stride);
  for (std::size_t i = 0; i < strides.size(); ++i) t.stride[pad + i] = strides[i];
  t.static_block = pto::instr::all_known(t.shape[3], t.shape[4]);
  return t;
}

ParsedType parse_type(std::string_view text) { return Parser().run(text); }

std::string to_text(const TypeSpec& s) {
  std::string out(spell(kinds, s.kind));
  if (s.kind == Kind::hif8) return out;
  if (s.schematic) return out + "<" + s.text + ">";
  if (s.is_tile()) return out + "<" + tile_text(s) + ">";
  if (s.kind == Kind::group) return out + "<" + std::to_string(s.ranks) + ">";
  return out + "<" + tensor_text(s) + ">";
}

std::string short_text(const TypeSpec& s) {
  if (!s.is_tile() || s.schematic) return "!pto." + to_text(s);
  const TileDesc &t = s.tile, plain;
  std::string out = "!pto." + std::string(spell(kinds, s.kind)) + "<" + std::string(spell(locations, t.loc)) + ", " +
                    std::to_string(t.rows) + "x" + std::to_string(t.cols) + "x" + dtype_text(t.dtype);
  if (t.valid_rows != t.rows || t.valid_cols != t.cols)
    out += ", valid=" + extent_text(t.valid_rows) + "x" + extent_text(t.valid_cols);
  if (t.blayout != plain.blayout) out += ", blayout=" + std::string(spell(blayouts, t.blayout));
  if (t.slayout != plain.slayout) out += ", slayout=" + std::string(spell(slayouts, t.slayout));
  if (t.fractal != plain.fractal) out += ", fractal=" + std::to_string(t.fractal);
  if (t.pad != plain.pad) out += ", pad=" + std::string(spell(pads, t.pad));
  return out + ">";
}

std::optional<DType> find_dtype(std::string_view name) { return find(dtypes, name); }
const char* dtype_text(DType d) { return spell(dtypes, d).data(); }

std::array<std::int64_t, 5> packed_strides(const std::int64_t (&shape)[5]) {
  std::array<std::int64_t, 5> stride{};
  std::int64_t step = 1;
  for (int i = 4; i >= 0; --i) {
    stride[static_cast<std::size_t>(i)] = step;
    if (step == unknown || shape[i] == unknown)
      step = unknown;
    else if (__builtin_mul_overflow(step, shape[i], &step))
      step = INT64_MAX;  // overflow: rejected where the stride is used
  }
  return stride;
}

}  // namespace ptox::assembly
