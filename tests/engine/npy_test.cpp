// SPDX-License-Identifier: Apache-2.0
// .npy files are written and read back unchanged, and invalid files are rejected with a message.
#include "ptox/npy.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "shell.hpp"

namespace ptox {
namespace {

using pto::instr::all_dtypes;
using pto::instr::DType;
using Extents = std::vector<std::int64_t>;

/// A temporary folder with one file.
struct Npy {
  Folder folder;
  std::string path = folder.path / "a.npy";

  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  /// The error message of read_npy for a file with these bytes, without the path; "" if it accepts the file.
  std::string refusal(const std::string& text) const {
    write(text);
    try {
      static_cast<void>(read_npy(path));
    } catch (const std::invalid_argument& e) {
      const std::string said = e.what();
      EXPECT_EQ(said.find(path + ": "), 0u) << said;
      return said.substr(path.size() + 2);
    }
    return "";
  }
};

/// A file with that header, unpadded, and `bytes` bytes after it.
std::string file(const std::string& header, std::size_t bytes, char version = 1) {
  const std::size_t n = header.size();
  std::string out = std::string("\x93NUMPY") + version + '\0' + static_cast<char>(n & 0xFF) + static_cast<char>(n >> 8);
  if (version > 1) out += std::string(2, '\0');
  return out + header + std::string(bytes, '\1');
}
std::string header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::vector<std::byte> pattern(std::int64_t bytes) {
  std::vector<std::byte> out(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i * 37 + 11);
  return out;
}

TEST(npy, every_dtype_comes_back_bit_for_bit) {
  const Npy npy;
  for (const DType dtype : all_dtypes)
    for (const Extents& shape :
         {Extents{3, 5}, Extents{7}, Extents{}, Extents{0}, Extents{4, 0, 2}, Extents{2, 1, 3, 2}}) {
      std::int64_t count = 1;
      for (const std::int64_t n : shape) count *= n;
      const std::vector<std::byte> bytes = pattern(count * size_of(dtype));
      write_npy(npy.path, dtype, shape, bytes.data());
      const NpyArray back = read_npy(npy.path);
      EXPECT_EQ(back.shape, shape) << name(dtype);
      EXPECT_EQ(back.bytes, bytes) << name(dtype);
      EXPECT_EQ(back.count(), count) << name(dtype);
      EXPECT_EQ(back.descr, npy_descr(dtype));
      EXPECT_TRUE(npy_holds(back.descr, dtype)) << name(dtype);
    }
}

TEST(npy, the_header_is_as_the_format_says) {
  const Npy npy;
  const float data[6] = {1, 2, 3, 4, 5, 6};
  write_npy(npy.path, DType::f32, Extents{2, 3}, data);
  const std::string text = contents(npy.path);
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_EQ(text.substr(10, 118), dictionary + std::string(117 - dictionary.size(), ' ') + "\n");
  EXPECT_EQ(text.size(), 128 + sizeof data);
  EXPECT_EQ(std::memcmp(text.data() + 128, data, sizeof data), 0);
}

TEST(npy, shapes_are_spelled_as_python_tuples) {
  const Npy npy;
  const std::int64_t data[3] = {};
  const auto written = [&](const Extents& shape) {
    write_npy(npy.path, DType::i64, shape, data);
    const std::string text = contents(npy.path);
    const std::size_t begin = text.find("'shape': ") + 9;
    return text.substr(begin, text.find(", }") - begin);
  };
  EXPECT_EQ(written({}), "()");
  EXPECT_EQ(written({3}), "(3,)");
  EXPECT_EQ(written({1, 3}), "(1, 3)");
}

TEST(npy, arrays_begin_at_a_multiple_of_64_and_headers_end_in_a_newline) {
  const Npy npy;
  const char data = 7;
  for (std::size_t dims = 0; dims < 60; ++dims) {
    write_npy(npy.path, DType::i8, Extents(dims, 1), &data);
    const std::string text = contents(npy.path);
    EXPECT_EQ(text.size() % 64, 1u) << dims;
    EXPECT_EQ(text[text.size() - 2], '\n') << dims;
    EXPECT_EQ(static_cast<unsigned char>(text[8]) + 256u * static_cast<unsigned char>(text[9]), text.size() - 11)
        << dims;
  }
}

TEST(npy, a_header_too_long_for_version_1_is_version_2) {
  const Npy npy;
  const char data = 7;
  write_npy(npy.path, DType::i8, Extents(30000, 1), &data);
  const std::string text = contents(npy.path);
  EXPECT_EQ(text[6], 2);
  EXPECT_EQ(text.size() % 64, 1u);
  EXPECT_EQ(read_npy(npy.path).shape, Extents(30000, 1));
}

TEST(npy, what_a_type_may_be_read_from) {
  const auto types = [](const std::string& descr) {
    std::string out;
    for (const DType d : all_dtypes)
      if (npy_holds(descr, d)) out += std::string(out.empty() ? "" : " ") + name(d);
    return out;
  };
  EXPECT_EQ(types("<f4"), "f32");
  EXPECT_EQ(types("=f4"), "f32");
  EXPECT_EQ(types("<f2"), "f16");
  EXPECT_EQ(types("<u2"), "u16 bf16");
  EXPECT_EQ(types("<i2"), "i16");
  EXPECT_EQ(types("|u1"), "u8 f8e4m3 f8e5m2 hif8");
  EXPECT_EQ(types("|V2"), "bf16");
  EXPECT_EQ(types("<V2"), "bf16");
  EXPECT_EQ(types("|V1"), "f8e4m3 f8e5m2 hif8");
  EXPECT_EQ(types("<f1"), "f8e5m2");
  for (const char* none : {"", "<", "f4", ">f4", ">u2", "|b1", "<U3", "|O", "<c8", "V", "|V4", "<f16"})
    EXPECT_EQ(types(none), "") << none;
}

TEST(npy, other_spellings_of_a_header_are_read) {
  const Npy npy;
  for (const char version : {'\1', '\2', '\3'}) {
    npy.write(file(header("'<f4'", "(2, 3)"), 24, version));
    EXPECT_EQ(read_npy(npy.path).shape, (Extents{2, 3}));
  }
  for (const std::string text : {"{\"shape\":(2,),\"descr\":\"|u1\",\"fortran_order\":False}",
                                 "  { 'fortran_order' : True , 'shape' : ( 2L , ) , 'descr' : '>i1' }   "}) {
    npy.write(file(text, 2));
    EXPECT_EQ(read_npy(npy.path).shape, Extents{2}) << text;
  }
  npy.write(file(header("'<V2'", "()"), 2));
  EXPECT_EQ(read_npy(npy.path).dtype, DType::u16);
}

TEST(npy, what_cannot_be_read_is_refused_with_a_sentence) {
  const Npy npy;
  const std::string good = header("'<f4'", "(2, 3)");
  const std::pair<std::string, std::string> cases[] = {
      {"", R"(it begins with ""; an .npy file begins with \x93NUMPY)"},
      {"PK\3\4 and so on", R"(it begins with "PK?? a"; an .npy file begins with \x93NUMPY)"},
      {"\x93NUMPY\1", "the file ends in its version, which takes 2 bytes; 1 are left"},
      {file(good, 24, 4), "it has format version 4.0; 1.0, 2.0 and 3.0 are read"},
      {file(good, 24).substr(0, 9), "the file ends in its header length, which takes 2 bytes; 1 are left"},
      {file(good, 24).substr(0, 30), "the file ends in its header, which takes 60 bytes; 20 are left"},
      {file(good, 23), "its shape takes 24 bytes; the file has 23 after the header. It is cut off"},
      {file(good, 25), "its shape takes 24 bytes; the file has 25 after the header. It should end with the array"},
      {file(header("'>f4'", "(2, 3)"), 24),
       "its elements are big-endian, descr '>f4'; they should be little-endian. Save "
       "a.astype(a.dtype.newbyteorder('<'))"},
      {file(header("'<f4'", "(2, 3)", "True"), 24),
       "it is in Fortran order; it should be in C order. Save np.ascontiguousarray(a)"},
      {file(header("[('a', '<f4')]", "(2, 3)"), 24),
       "its elements are structured, \"[('a', '<f4')], 'fortran_order': False, \"...; they should be of one plain "
       "type. "
       "Save each field by itself"},
      {file(header("'|O'", "(2,)"), 24),
       "its elements are of descr \"|O\"; they should be i1, u1, i2, u2, i4, u4, i8, u8, f2, f4 or f8, little-endian, "
       "or "
       "V2 or V1"},
      {file(header("'<f4'", "(-2, 3)"), 24), "an extent of its shape is -2; it must be 0 or more"},
      {file(header("'<f4'", "(99999999999999999999,)"), 24),
       "an extent of its shape is past 63 bits, \"99999999999999999999,), }?\""},
      {file(header("'<f4'", "(4294967296, 4294967296)"), 24),
       "its shape takes more bytes than count in 63 bits; the file has 24"},
      {file(header("'<f4'", "(1000000000000,)"), 24),
       "its shape takes 4000000000000 bytes; the file has 24 after the header. It is cut off"},
      {file(header("'<f4'", "2"), 24), "its header has \"2, }?\" where '(' should be"},
      {file(header("'<f4'", "(2, x)"), 24), "its header has \"x), }?\" where an extent should be"},
      {file(header("'<f4'", "(2,)", "Maybe"), 24),
       "its header has \"Maybe, 'shape': (2,), }?\" where True or False should be"},
      {file("garbage", 24), "its header has \"garbage\" where '{' should be"},
      {file("", 24), "its header has \"\" where '{' should be"},
      {file("{'descr", 24), "its header has \"'descr\" where a quoted name that ends should be"},
      {file("{'descr': '<f4' 'shape'", 24), "its header has \"'shape'\" where a comma or '}' should be"},
      {file("{'descr': '<f4'} else", 24), "its header has \"else\" where the end of the header should be"},
      {file("{'descr': '<f4', }", 24), "the header has no 'fortran_order'; it has all of descr, fortran_order, shape"},
      {file("{'descr': '<f4', 'descr': '<f4'}", 24), "the header has 'descr' twice; once is right"},
      {file("{'order': 3}", 24), "the header has an entry \"order\"; its entries are descr, fortran_order, shape"},
  };
  for (const auto& [text, sentence] : cases) EXPECT_EQ(npy.refusal(text), sentence);
}

TEST(npy, a_header_length_past_the_file_allocates_nothing) {
  const Npy npy;
  EXPECT_EQ(npy.refusal(std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF{}", 14)),
            "the file ends in its header, which takes 4294967295 bytes; 2 are left");
}

TEST(npy, every_cut_of_a_file_is_refused) {
  const Npy npy;
  const std::string whole = file(header("'<f4'", "(2, 3)"), 24);
  EXPECT_EQ(npy.refusal(whole), "");
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_NE(npy.refusal(whole.substr(0, n)), "") << n;
}

TEST(npy, a_changed_byte_of_the_header_is_read_or_refused) {
  const Npy npy;
  const std::string whole = file(header("'<f4'", "(2, 3)"), 24);
  for (std::size_t at = 0; at < whole.size() - 24; ++at)
    for (const char c : {'\0', '\n', '\'', '(', ')', '-', '9', '>', 'L', '}', '\xFF'}) {
      std::string changed = whole;
      changed[at] = c;
      npy.refusal(changed);
    }
}

TEST(npy, paths_that_are_no_file_are_refused) {
  const Folder folder;
  const std::string missing = folder.path / "none.npy", deep = folder.path / "none" / "a.npy";
  const auto refused = [](auto&& f) {
    try {
      f();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused([&] { static_cast<void>(read_npy(missing)); }), missing + ": there is no such file");
  EXPECT_EQ(refused([&] { static_cast<void>(read_npy(folder.path)); }),
            folder.path.string() + ": this is no regular file; an .npy file is");
  EXPECT_EQ(refused([&] { write_npy(deep, DType::i8, Extents{0}, nullptr); }), deep + ": the file cannot be written");
  EXPECT_EQ(refused([&] { write_npy(missing, DType::i8, Extents{-1}, nullptr); }),
            missing + ": its shape has a negative extent, or takes more bytes than count in 63 bits");
}

}  // namespace
}  // namespace ptox
