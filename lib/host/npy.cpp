// SPDX-License-Identifier: Apache-2.0
// Reads and writes .npy files and checks their headers.
#include "ptox/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace ptox {

namespace {

using pto::instr::DType;

static_assert(std::endian::native == std::endian::little, "an .npy file is written as memory lies");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t header_alignment = 64, longest_v1 = 0xFFFF;

/// The path of a file, for errors about it.
struct File {
  const std::string& path;
  [[noreturn]] void refuse(const std::string& sentence) const { throw std::invalid_argument(path + ": " + sentence); }
};

/// Part of a file as a message quotes it: at most 40 characters, each printable.
std::string shown(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > 40 ? "\"..." : "\"");
}

/// The size of an array of that shape in bytes; nullopt when an extent is negative or the size exceeds 63 bits.
std::optional<std::int64_t> bytes_of(std::span<const std::int64_t> shape, std::int64_t element_bytes) {
  if (std::ranges::any_of(shape, [](std::int64_t n) { return n < 0; })) return std::nullopt;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  for (const std::int64_t n : shape)
    if (__builtin_mul_overflow(element_bytes, n, &element_bytes)) return std::nullopt;
  return element_bytes;
}

/// NumPy's name of the type without the byte order in front: "f4" of "<f4".
std::string_view kind_of(std::string_view descr) { return descr.substr(descr.empty() ? 0 : 1); }

std::optional<DType> dtype_of_kind(std::string_view kind) {
  constexpr std::pair<std::string_view, DType> kinds[] = {
      {"i1", DType::i8},  {"u1", DType::u8},  {"i2", DType::i16}, {"u2", DType::u16}, {"i4", DType::i32},
      {"u4", DType::u32}, {"i8", DType::i64}, {"u8", DType::u64}, {"f2", DType::f16}, {"f4", DType::f32},
      {"f8", DType::f64}, {"V2", DType::u16}, {"V1", DType::u8},  {"f1", DType::u8}};
  for (const auto& [name, dtype] : kinds)
    if (name == kind) return dtype;
  return std::nullopt;
}

/// Whether elements are little-endian, which includes native order, or single bytes.
bool order_is_ours(char order, DType dtype) {
  return order == '<' || order == '=' || order == '|' || (order == '>' && pto::instr::size_of(dtype) == 1);
}

/// The three entries of the header, which is the text of a Python dictionary.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

class HeaderParser {
 public:
  HeaderParser(const File& file, std::string_view text) : file_(file), text_(text) {}

  Header parse() {
    expect('{');
    while (!take('}')) {
      entry();
      if (!take(',') && peek() != '}') bad("a comma or '}'");
    }
    if (peek()) bad("the end of the header");
    for (int k = 0; k < 3; ++k)
      if (!seen_[k])
        file_.refuse(std::string("the header has no '") + keys[k] + "'; it has all of descr, fortran_order, shape");
    return std::move(header_);
  }

 private:
  static constexpr const char* keys[] = {"descr", "fortran_order", "shape"};

  void entry() {
    const std::string key = string();
    const auto found =
        std::ranges::find(keys, std::string_view(key), [](const char* k) { return std::string_view(k); });
    const auto k = static_cast<std::size_t>(found - std::begin(keys));
    if (k == 3) file_.refuse("the header has an entry " + shown(key) + "; its entries are descr, fortran_order, shape");
    if (std::exchange(seen_[k], true)) file_.refuse("the header has '" + key + "' twice; once is right");
    expect(':');
    k == 0 ? descr() : k == 1 ? fortran_order() : shape();
  }

  void descr() {
    if (peek() == '[' || peek() == '(')
      file_.refuse("its elements are structured, " + shown(text_.substr(at_)) +
                   "; they should be of one plain type. Save each field by itself");
    header_.descr = string();
  }
  void fortran_order() {
    const bool yes = take("True");
    if (!yes && !take("False")) bad("True or False");
    header_.fortran_order = yes;
  }
  void shape() {
    expect('(');
    while (!take(')')) {
      header_.shape.push_back(extent());
      if (!take(',') && peek() != ')') bad("a comma or ')'");
    }
  }

  std::int64_t extent() {
    peek();
    std::int64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range)
      file_.refuse("an extent of its shape is past 63 bits, " + shown(text_.substr(at_)));
    if (error != std::errc()) bad("an extent");
    if (value < 0) file_.refuse("an extent of its shape is " + std::to_string(value) + "; it must be 0 or more");
    at_ = static_cast<std::size_t>(rest - text_.data());
    take('L');
    return value;
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') bad("a quoted name");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) bad("a quoted name that ends");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(inside);
  }

  /// Skips white space and returns the next character; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) { return peek() == c && c && ++at_; }
  bool take(std::string_view word) {
    peek();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void expect(char c) {
    if (!take(c)) bad(std::string("'") + c + "'");
  }
  [[noreturn]] void bad(const std::string& wanted) const {
    file_.refuse("its header has " + shown(text_.substr(at_)) + " where " + wanted + " should be");
  }

  const File& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool seen_[3] = {};
  Header header_;
};

/// Reads a file sequentially and counts the bytes that are left.
class Reader {
 public:
  explicit Reader(const File& file) : file_(file), in_(file.path, std::ios::binary) {
    std::error_code error;
    if (!std::filesystem::exists(file.path, error)) file.refuse("there is no such file");
    if (!std::filesystem::is_regular_file(file.path, error)) file.refuse("this is no regular file; an .npy file is");
    left_ = std::filesystem::file_size(file.path, error);
    if (error || !in_) file.refuse("the file cannot be read");
  }
  std::uint64_t left() const { return left_; }
  void read(void* to, std::size_t bytes) {
    if (!in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes))) file_.refuse("the file cannot be read");
    left_ -= bytes;
  }
  std::string text(std::uint64_t bytes, const char* what) {
    if (bytes > left_)
      file_.refuse(std::string("the file ends in its ") + what + ", which takes " + std::to_string(bytes) + " bytes; " +
                   std::to_string(left_) + " are left");
    std::string out(bytes, '\0');
    read(out.data(), out.size());
    return out;
  }

 private:
  const File& file_;
  std::ifstream in_;
  std::uint64_t left_ = 0;
};

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) n |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  return n;
}

Header read_header(const File& file, Reader& reader) {
  const std::string begin = reader.text(std::min<std::uint64_t>(reader.left(), magic.size()), "magic");
  if (begin != magic) file.refuse("it begins with " + shown(begin) + "; an .npy file begins with \\x93NUMPY");
  const std::string version = reader.text(2, "version");
  const int major = static_cast<unsigned char>(version[0]), minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0)
    file.refuse("it has format version " + std::to_string(major) + "." + std::to_string(minor) +
                "; 1.0, 2.0 and 3.0 are read");
  const std::uint32_t length = little_endian(reader.text(major == 1 ? 2 : 4, "header length"));
  return HeaderParser(file, reader.text(length, "header")).parse();
}

DType stored_dtype(const File& file, const std::string& descr) {
  const std::optional<DType> dtype = dtype_of_kind(kind_of(descr));
  if (dtype && order_is_ours(descr[0], *dtype)) return *dtype;
  if (dtype && descr[0] == '>')
    file.refuse("its elements are big-endian, descr '" + descr +
                "'; they should be little-endian. Save a.astype(a.dtype.newbyteorder('<'))");
  file.refuse("its elements are of descr " + shown(descr) +
              "; they should be i1, u1, i2, u2, i4, u4, i8, u8, f2, f4 or f8, little-endian, or V2 or V1");
}

void check_extent(const File& file, std::optional<std::int64_t> bytes, std::uint64_t left) {
  if (!bytes) file.refuse("its shape takes more bytes than count in 63 bits; the file has " + std::to_string(left));
  if (const auto wanted = static_cast<std::uint64_t>(*bytes); wanted != left)
    file.refuse("its shape takes " + std::to_string(wanted) + " bytes; the file has " + std::to_string(left) +
                " after the header" + (wanted > left ? ". It is cut off" : ". It should end with the array"));
}

std::vector<std::byte> room_for(const File& file, std::uint64_t bytes) {
  try {
    return std::vector<std::byte>(bytes);
  } catch (const std::exception&) {
    file.refuse("it holds " + std::to_string(bytes) + " bytes, more than the host has left");
  }
}

std::string header_text(DType dtype, std::span<const std::int64_t> shape) {
  std::string out = std::string("{'descr': '") + npy_descr(dtype) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t d = 0; d < shape.size(); ++d)
    out += std::to_string(shape[d]) + (shape.size() == 1 ? "," : d + 1 < shape.size() ? ", " : "");
  return out + "), }";
}

/// Magic, version, length and the text, padded so that the array begins at a multiple of 64.
std::string framed(std::string text) {
  const auto padded = [&](std::size_t before) {
    return (before + text.size() + header_alignment) / header_alignment * header_alignment - before;
  };
  const bool v1 = padded(10) <= longest_v1;
  const std::size_t length = padded(v1 ? 10 : 12);
  text.resize(length - 1, ' ');
  std::string out(magic);
  out += {v1 ? '\1' : '\2', '\0'};
  for (int i = 0; i < (v1 ? 2 : 4); ++i) out += static_cast<char>(length >> 8 * i & 0xFF);
  return out + text + '\n';
}

}  // namespace

const char* npy_descr(DType dtype) {
  constexpr const char* descrs[] = {"|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<f2", "<u2",
                                    "<f4", "|u1", "|u1", "|u1", "<i8", "<u8", "<f8"};
  static_assert(std::size(descrs) == std::size(pto::instr::all_dtypes));
  return descrs[static_cast<int>(dtype)];
}

bool npy_holds(const std::string& descr, DType dtype) {
  const std::string_view kind = kind_of(descr);
  if (!dtype_of_kind(kind) || !order_is_ours(descr[0], dtype)) return false;
  if (kind == kind_of(npy_descr(dtype))) return true;
  if (kind == "V2") return dtype == DType::bf16;
  if (kind == "f1") return dtype == DType::e5m2;
  return kind == "V1" && pto::instr::DTypeSet{DType::e4m3, DType::e5m2, DType::hif8}.has(dtype);
}

NpyArray read_npy(const std::string& path) {
  const File file{path};
  Reader reader(file);
  Header header = read_header(file, reader);
  const DType dtype = stored_dtype(file, header.descr);
  if (header.fortran_order && header.shape.size() > 1)
    file.refuse("it is in Fortran order; it should be in C order. Save np.ascontiguousarray(a)");
  check_extent(file, bytes_of(header.shape, pto::instr::size_of(dtype)), reader.left());
  NpyArray array{dtype, std::move(header.descr), std::move(header.shape), room_for(file, reader.left())};
  reader.read(array.bytes.data(), array.bytes.size());
  return array;
}

void write_npy(const std::string& path, DType dtype, std::span<const std::int64_t> shape, const void* data) {
  const File file{path};
  const std::optional<std::int64_t> bytes = bytes_of(shape, pto::instr::size_of(dtype));
  if (!bytes) file.refuse("its shape has a negative extent, or takes more bytes than count in 63 bits");
  const std::string header = framed(header_text(dtype, shape));
  std::ofstream out(path, std::ios::binary);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  if (*bytes > 0) out.write(static_cast<const char*>(data), *bytes);
  if (!out.flush()) file.refuse("the file cannot be written");
}

}  // namespace ptox
