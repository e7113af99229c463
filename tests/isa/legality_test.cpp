// SPDX-License-Identifier: Apache-2.0
// MGATHER and MSCATTER accept exactly what the specification lists, on each target, for all combinations of operands.
//
// The first half of the file is an independent implementation of the specification, as tables and predicates. It shares
// no code with the rules under test.
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "pto/isa/mgather.hpp"
#include "pto/isa/mscatter.hpp"

namespace {

using pto::BLayout, pto::instr::DType, pto::Layout, pto::SLayout;

enum Machine { cpu, a2a3, a5 };
constexpr Machine machines[] = {cpu, a2a3, a5};
constexpr const char* machine_names[] = {"cpu", "a2a3", "a5"};
constexpr int on_cpu = 1 | 8;  // cpu and cuda, which accept the same operands
constexpr int on_a2a3 = 2, on_a5 = 4, nowhere = 0, everywhere = on_cpu | on_a2a3 | on_a5;

struct Type {
  DType code;
  const char* name;
  int bytes, moves, adds, max_min;
};
constexpr Type types[] = {
    {DType::i8, "i8", 1, everywhere, on_cpu | on_a2a3, on_cpu},
    {DType::u8, "u8", 1, everywhere, on_cpu, on_cpu},
    {DType::i16, "i16", 2, everywhere, on_cpu | on_a2a3, on_cpu},
    {DType::u16, "u16", 2, everywhere, on_cpu, on_cpu},
    {DType::i32, "i32", 4, everywhere, everywhere, on_cpu | on_a5},
    {DType::u32, "u32", 4, everywhere, on_cpu | on_a5, on_cpu | on_a5},
    {DType::f16, "f16", 2, everywhere, everywhere, on_cpu},
    {DType::bf16, "bf16", 2, everywhere, everywhere, on_cpu},
    {DType::f32, "f32", 4, everywhere, everywhere, on_cpu | on_a5},
    {DType::e4m3, "e4m3", 1, on_cpu | on_a5, nowhere, nowhere},
    {DType::e5m2, "e5m2", 1, on_cpu | on_a5, nowhere, nowhere},
    {DType::hif8, "hif8", 1, on_cpu | on_a5, nowhere, nowhere},
    {DType::i64, "i64", 8, nowhere, nowhere, nowhere},
    {DType::u64, "u64", 8, nowhere, nowhere, nowhere},
    {DType::f64, "f64", 8, nowhere, nowhere, nowhere},
};
constexpr int type_count = 15, int32 = 4, uint32 = 5, float32 = 8;
constexpr int index_types[] = {int32, uint32, 2, 12, float32};

enum class Mode { row, elem, omitted };
constexpr const char* mode_names[] = {"Row", "Elem", "omitted"};
enum class Form { row_major, col_major, nz, nz_1024, zn, zz, nn };
constexpr Form forms[] = {Form::row_major, Form::col_major, Form::nz, Form::nz_1024, Form::zn, Form::zz, Form::nn};
constexpr const char* form_names[] = {"RowMajor", "ColMajor", "NZ", "NZ of fractal 1024", "ZN", "ZZ", "NN"};
enum class Grid { nd, dn, nz };
enum class Op { none, add, max, min };
constexpr const char* op_names[] = {"None", "Add", "Max", "Min"};
enum class Conflict { omitted, last, machine };
constexpr const char* conflict_names[] = {"omitted", "Last", "Default"};

struct TileFacts {
  int type = float32;
  Form form = Form::row_major;
  std::int64_t rows = 32, cols = 64, valid_rows = 32, valid_cols = 64;
  bool in_vec = true;
};
struct TableFacts {
  const char* label = "";
  int type = float32;
  Grid grid = Grid::nd;
  std::int64_t shape[5] = {1, 1, 1, 48, 64};
  std::int64_t row_step = 64, col_step = 1;
  bool static_block = true;
};
struct Case {
  TileFacts data{};
  TableFacts table{};
  TileFacts index{};
  Mode mode = Mode::row;
  int oob = 0;
  Op op = Op::none;
  Conflict conflict = Conflict::omitted;
};

bool is_one_padded_column(const TileFacts& t) { return t.form == Form::row_major && t.cols == 1; }
bool is_plain(const TileFacts& t) { return t.form == Form::row_major || t.form == Form::col_major; }

bool row_shaped(const Case& c) {
  const std::int64_t rows = c.data.valid_rows, r = c.index.valid_rows, n = c.index.valid_cols;
  return (r == 1 && n == rows) || (r == rows && n == 1);
}
bool elem_shaped(const Case& c) {
  return c.index.valid_rows == c.data.valid_rows && c.index.valid_cols == c.data.valid_cols;
}
/// The inferred Coalesce: Row if there is one index per row, otherwise Elem if there is one per element; `omitted` if
/// neither.
Mode inferred(const Case& c) {
  if (c.mode != Mode::omitted) return c.mode;
  return row_shaped(c) ? Mode::row : elem_shaped(c) ? Mode::elem : Mode::omitted;
}

bool types_fit(Machine m, const Case& c) {
  return c.data.type == c.table.type && (types[c.data.type].moves >> m & 1) &&
         (c.index.type == int32 || c.index.type == uint32);
}

bool nz_pair_fits(const Case& c) {
  const std::int64_t c0 = 32 / types[c.table.type].bytes;
  const bool block = c.table.static_block && c.table.shape[3] == 16 && c.table.shape[4] == c0;
  return block && c.data.form == Form::nz && c.data.cols % c0 == 0 && c.data.rows % 16 == 0;
}

bool layouts_fit(Machine m, const Case& c) {
  if (c.table.grid == Grid::nz) return m != a5 && nz_pair_fits(c);
  if (c.table.grid == Grid::dn && m != cpu) return false;
  return c.data.form == Form::row_major || (c.data.form == Form::col_major && m != a2a3);
}

/// On a2a3 the instruction checks the 32-byte alignment itself; elsewhere only the tile type does.
bool alignment_fits(Machine m, const Case& c) { return m != a2a3 || !is_one_padded_column(c.data); }

bool row_index_fits(Machine m, const TileFacts& index, std::int64_t rows) {
  const bool row_major = index.form == Form::row_major;
  const bool lying = index.valid_rows == 1 && index.valid_cols == rows;
  const bool standing = index.valid_rows == rows && index.valid_cols == 1;
  if (m == cpu) return lying || standing;
  if (m == a2a3) return lying && row_major && index.cols > 1;
  return (lying && row_major) || (standing && !row_major) || (standing && is_one_padded_column(index));
}

bool index_fits(Machine m, const Case& c) {
  if (!is_plain(c.index)) return false;
  if (inferred(c) == Mode::omitted) return false;
  if (inferred(c) == Mode::row) return row_index_fits(m, c.index, c.data.valid_rows);
  return elem_shaped(c) && (m != a2a3 || (c.index.form == Form::row_major && c.index.cols > 1));
}

std::int64_t logical_cols(const TableFacts& t) {
  if (t.grid == Grid::nd) return t.shape[4];
  return t.grid == Grid::dn ? t.shape[0] * t.shape[1] * t.shape[2] * t.shape[4] : t.shape[0] * t.shape[1] * t.shape[4];
}

bool width_fits(Machine m, const Case& c) {
  if (inferred(c) != Mode::row) return true;
  if (m == a5) return c.table.shape[4] == c.data.valid_cols && c.table.row_step == c.data.valid_cols;
  return c.data.valid_cols <= logical_cols(c.table);
}

bool valid_fits(const TileFacts& t) {
  return t.valid_rows >= 1 && t.valid_rows <= t.rows && t.valid_cols >= 1 && t.valid_cols <= t.cols;
}

bool gather_is_legal(Machine m, const Case& c) {
  return c.data.in_vec && c.index.in_vec && valid_fits(c.data) && valid_fits(c.index) && types_fit(m, c) &&
         layouts_fit(m, c) && alignment_fits(m, c) && index_fits(m, c) && width_fits(m, c);
}

bool scatter_is_legal(Machine m, const Case& c) {
  const Type& type = types[c.data.type];
  const int takes = c.op == Op::none ? everywhere : c.op == Op::add ? type.adds : type.max_min;
  const bool conflict = m != a2a3 || c.conflict == Conflict::omitted;
  return gather_is_legal(m, c) && (takes >> m & 1) && conflict;
}

// Conversion of a case to the operands of the instructions.

pto::instr::TileDesc desc(const TileFacts& t) {
  pto::instr::TileDesc d{.dtype = types[t.type].code, .rows = t.rows, .cols = t.cols, .valid_rows = t.valid_rows};
  d.valid_cols = t.valid_cols;
  d.loc = t.in_vec ? pto::TileType::Vec : pto::TileType::Mat;
  const bool outer_rows = t.form == Form::row_major || t.form == Form::zn || t.form == Form::zz;
  d.blayout = outer_rows ? BLayout::RowMajor : BLayout::ColMajor;
  const bool inner_cols = t.form == Form::zn || t.form == Form::nn;
  d.slayout = is_plain(t) ? SLayout::NoneBox : inner_cols ? SLayout::ColMajor : SLayout::RowMajor;
  d.fractal = t.form == Form::nz_1024 ? 1024 : 512;
  return d;
}

pto::instr::TensorDesc desc(const TableFacts& t) {
  constexpr Layout layouts[] = {Layout::ND, Layout::DN, Layout::NZ};
  pto::instr::TensorDesc d{.dtype = types[t.type].code, .layout = layouts[static_cast<int>(t.grid)]};
  d.static_block = t.static_block;
  const std::int64_t block = t.shape[3] * t.shape[4];
  for (int i = 0; i < 5; ++i) d.shape[i] = t.shape[i];
  d.stride[4] = t.col_step, d.stride[3] = t.row_step, d.stride[2] = block;
  d.stride[1] = t.shape[2] * block, d.stride[0] = t.shape[1] * t.shape[2] * block;
  return d;
}

pto::instr::CoalesceChoice choice(Mode m) {
  return {.mode = m == Mode::elem ? pto::Coalesce::Elem : pto::Coalesce::Row, .open = m == Mode::omitted};
}

pto::instr::Mgather::Operands gather_operands(const Case& c) {
  return {desc(c.data), desc(c.table), desc(c.index), {choice(c.mode), static_cast<pto::GatherOOB>(c.oob)}};
}

pto::instr::Mscatter::Operands scatter_operands(const Case& c) {
  const bool machine = c.conflict == Conflict::machine;
  return {desc(c.table),
          desc(c.data),
          desc(c.index),
          {.coalesce = choice(c.mode),
           .op = static_cast<pto::ScatterAtomicOp>(c.op),
           .oob = static_cast<pto::ScatterOOB>(c.oob),
           .conflict = machine ? pto::ScatterConflict::Default : pto::ScatterConflict::Last,
           .conflict_spelled = c.conflict != Conflict::omitted}};
}

// Printing of a case on which specification and rules disagree.

std::ostream& operator<<(std::ostream& s, const TileFacts& t) {
  return s << types[t.type].name << " " << form_names[static_cast<int>(t.form)] << " " << t.rows << "x" << t.cols
           << " (valid " << t.valid_rows << "x" << t.valid_cols << ") in " << (t.in_vec ? "Vec" : "Mat");
}
std::ostream& operator<<(std::ostream& s, const TableFacts& t) {
  s << types[t.type].name << " " << t.label << ", Shape<" << t.shape[0];
  for (int i = 1; i < 5; ++i) s << "," << t.shape[i];
  return s << ">, Stride[3] = " << t.row_step << (t.static_block ? "" : ", block not static");
}
std::ostream& operator<<(std::ostream& s, const Case& c) {
  return s << "data " << c.data << "; table " << c.table << "; idx " << c.index << "; Coalesce "
           << mode_names[static_cast<int>(c.mode)] << ", OOB " << c.oob << ", " << op_names[static_cast<int>(c.op)]
           << ", Conflict " << conflict_names[static_cast<int>(c.conflict)];
}

template <class I>
std::string first_broken(const pto::instr::Target& t, const typename I::Operands& o) {
  std::string label = "none";
  I::Rules::each([&]<class R>() {
    if (label == "none" && !R::holds(t, o)) label = std::string(R::label.code) + " (" + R::label.sentence + ")";
  });
  return label;
}

/// Counts the compared cases and prints the first disagreements.
struct Tally {
  std::int64_t cases = 0, legal[3] = {}, disagreements = 0;

  template <class I>
  void compare(const Case& c, const typename I::Operands& given, bool (*is_legal)(Machine, const Case&)) {
    const auto operands = pto::instr::resolved<I>(given);
    const int accepted = pto::instr::legal_on<I>(operands);
    ++cases;
    EXPECT_EQ(accepted >> ptox::target::cuda.id & 1, accepted & 1) << c;
    for (Machine m : machines) {
      const bool expected = is_legal(m, c);
      legal[m] += expected;
      if (expected != static_cast<bool>(accepted >> m & 1)) report<I>(m, c, operands, expected);
    }
  }
  template <class I>
  void report(Machine m, const Case& c, const typename I::Operands& o, bool expected) {
    if (++disagreements > 8) return;
    ADD_FAILURE() << I::mnemonic << " on " << machine_names[m] << ": the norm " << (expected ? "accepts" : "rejects")
                  << " this, first broken rule: " << first_broken<I>(*ptox::target::on_host[m], o) << "\n  " << c;
  }
  void expect_at_least(std::int64_t cases_floor, std::int64_t legal_floor) const {
    EXPECT_EQ(disagreements, 0) << "of " << cases << " cases";
    EXPECT_GE(cases, cases_floor);
    for (Machine m : machines) EXPECT_GE(legal[m], legal_floor) << machine_names[m];
  }
};

// The values of each operand that are combined.

constexpr TileFacts geometries[] = {
    {.valid_rows = 32, .valid_cols = 64},
    {.valid_rows = 20, .valid_cols = 48},
    {.valid_rows = 1, .valid_cols = 64},
    {.valid_rows = 32, .valid_cols = 1},
    {.cols = 1, .valid_rows = 32, .valid_cols = 1},
    {.valid_rows = 1, .valid_cols = 1},
};

TableFacts nd_table(const char* label, std::int64_t width, std::int64_t row_step) {
  return {.label = label, .shape = {1, 1, 1, 48, width}, .row_step = row_step};
}
TableFacts nz_table(const char* label, std::int64_t block_cols, std::int64_t block_rows, std::int64_t c0) {
  return {.label = label, .grid = Grid::nz, .shape = {1, block_cols, 3, block_rows, c0}, .row_step = c0};
}

template <class V>
void each_plain_table(std::int64_t width, V&& visit) {
  visit(nd_table("ND packed", width, width));
  visit(nd_table("ND with padded rows", width, width + 8));
  visit(nd_table("ND wider", width + 8, width + 8));
  visit(nd_table("ND wider, rows overlapping", width + 8, width));
  visit(nd_table("ND narrower", width - 1, width - 1));
  visit(TableFacts{.label = "ND of five extents", .shape = {2, 1, 3, 8, width}, .row_step = width});
  visit(TableFacts{.label = "ND empty", .shape = {1, 1, 1, 0, width}, .row_step = width});
  visit(TableFacts{.label = "ND, columns apart", .shape = {1, 1, 1, 48, width}, .row_step = width, .col_step = 2});
  visit(TableFacts{.label = "DN", .grid = Grid::dn, .shape = {1, 1, 1, 48, width}, .row_step = 1, .col_step = 48});
}

template <class V>
void each_nz_table(std::int64_t width, std::int64_t c0, V&& visit) {
  const std::int64_t blocks = (width + c0 - 1) / c0;
  visit(nz_table("NZ", blocks, 16, c0));
  visit(nz_table("NZ wider than any tile", 64 / c0 + 2, 16, c0));
  visit(nz_table("NZ narrower", blocks - 1, 16, c0));
  visit(nz_table("NZ with wrong C0", blocks, 16, 2 * c0));
  visit(nz_table("NZ with wrong rows", blocks, 8, c0));
  TableFacts batched = nz_table("NZ in two parts", (blocks + 1) / 2, 16, c0);
  TableFacts open = nz_table("NZ with a dynamic block", blocks, 16, c0);
  batched.shape[0] = 2;
  open.static_block = false;
  visit(batched);
  visit(open);
}

/// A tile of int32 indices, padded to whole 32-byte rows or columns.
TileFacts index_tile(Form form, std::int64_t valid_rows, std::int64_t valid_cols) {
  TileFacts t{.type = int32, .form = form, .valid_rows = valid_rows, .valid_cols = valid_cols};
  t.rows = form == Form::row_major ? valid_rows : (valid_rows + 15) / 16 * 16;
  t.cols = form == Form::col_major ? valid_cols : (valid_cols + 15) / 16 * 16;
  return t;
}
TileFacts one_padded_column(std::int64_t rows) {
  return {.type = int32, .rows = rows, .cols = 1, .valid_rows = rows, .valid_cols = 1};
}

template <class V>
void each_index(std::int64_t rows, std::int64_t cols, V&& visit) {
  visit(index_tile(Form::row_major, 1, rows));
  visit(index_tile(Form::col_major, rows, 1));
  visit(index_tile(Form::row_major, rows, 1));
  visit(index_tile(Form::col_major, 1, rows));
  visit(one_padded_column(rows));
  visit(index_tile(Form::row_major, rows, cols));
  visit(index_tile(Form::col_major, rows, cols));
  visit(index_tile(Form::row_major, 1, rows + 1));
  visit(index_tile(Form::col_major, rows + 1, 1));
  visit(one_padded_column(rows + 1));
  visit(index_tile(Form::row_major, rows, cols + 1));
  visit(index_tile(Form::col_major, rows + 1, cols));
  for (Form boxed : {Form::nz, Form::zn, Form::zz}) {
    visit(index_tile(boxed, 1, rows));
    visit(index_tile(boxed, rows, cols));
  }
}

/// Visits every combination of tile, table, index tile and Coalesce for one element type.
template <class V>
void each_shape(int type, V&& visit) {
  for (const TileFacts& geometry : geometries) {
    const auto with_table = [&](TableFacts table) {
      table.type = type;
      each_index(geometry.valid_rows, geometry.valid_cols, [&](const TileFacts& index) {
        for (Form form : forms)
          for (Mode mode : {Mode::row, Mode::elem, Mode::omitted}) {
            Case c{.data = geometry, .table = table, .index = index, .mode = mode};
            c.data.type = type, c.data.form = form;
            visit(c);
          }
      });
    };
    each_plain_table(geometry.valid_cols, with_table);
    each_nz_table(geometry.valid_cols, 32 / types[type].bytes, with_table);
  }
}

/// The same, combined with index types, buffers and a table of another element type.
template <class V>
void each_operand_type(int type, V&& visit) {
  each_shape(type, [&](Case c) {
    for (int index_type : index_types)
      for (int place = 0; place < 4; ++place)
        for (int table_type : {type, (type + 1) % type_count}) {
          c.index.type = index_type, c.table.type = table_type;
          c.data.in_vec = (place & 1) == 0, c.index.in_vec = (place & 2) == 0;
          visit(c);
        }
  });
}

TEST(legality, gather_over_types_shapes_and_policies) {
  Tally tally;
  for (int type = 0; type < type_count; ++type)
    each_shape(type, [&](Case c) {
      for (c.oob = 0; c.oob < 4; ++c.oob) tally.compare<pto::instr::Mgather>(c, gather_operands(c), gather_is_legal);
    });
  tally.expect_at_least(2'000'000, 10'000);
}

TEST(legality, gather_over_index_types_and_places) {
  Tally tally;
  for (int type : {0, float32})
    each_operand_type(
        type, [&](const Case& c) { tally.compare<pto::instr::Mgather>(c, gather_operands(c), gather_is_legal); });
  tally.expect_at_least(2'000'000, 1'000);
}

TEST(legality, scatter_over_types_shapes_and_atomics) {
  Tally tally;
  for (int type = 0; type < type_count; ++type)
    each_shape(type, [&](Case c) {
      for (Op op : {Op::none, Op::add, Op::max, Op::min})
        for (Conflict conflict : {Conflict::omitted, Conflict::last, Conflict::machine}) {
          c.op = op, c.conflict = conflict;
          tally.compare<pto::instr::Mscatter>(c, scatter_operands(c), scatter_is_legal);
        }
    });
  tally.expect_at_least(6'000'000, 4'000);
}

TEST(legality, scatter_over_every_policy) {
  Tally tally;
  for (int type : {3, uint32, float32})
    each_shape(type, [&](Case c) {
      for (int policy = 0; policy < 4 * 4 * 3; ++policy) {
        c.oob = policy % 4, c.op = static_cast<Op>(policy / 4 % 4), c.conflict = static_cast<Conflict>(policy / 16);
        tally.compare<pto::instr::Mscatter>(c, scatter_operands(c), scatter_is_legal);
      }
    });
  tally.expect_at_least(4'000'000, 3'000);
}

TEST(legality, scatter_over_index_types_and_places) {
  Tally tally;
  each_operand_type(
      float32, [&](const Case& c) { tally.compare<pto::instr::Mscatter>(c, scatter_operands(c), scatter_is_legal); });
  tally.expect_at_least(1'000'000, 500);
}

TEST(legality, valid_extents_stay_within_one_and_the_padded_ones) {
  Tally tally;
  for (std::int64_t rows : {-1, 0, 1, 31, 32, 33})
    for (std::int64_t cols : {-1, 0, 1, 63, 64, 65})
      for (Mode mode : {Mode::row, Mode::elem, Mode::omitted}) {
        Case c{.data = {.valid_rows = rows, .valid_cols = cols},
               .table = nd_table("ND", cols < 0 ? 0 : cols, cols),
               .index = {.type = int32, .rows = 64, .cols = 128},
               .mode = mode};
        c.index.valid_rows = mode == Mode::elem ? rows : 1;
        c.index.valid_cols = mode == Mode::elem ? cols : rows;
        tally.compare<pto::instr::Mgather>(c, gather_operands(c), gather_is_legal);
        tally.compare<pto::instr::Mscatter>(c, scatter_operands(c), scatter_is_legal);
      }
  tally.expect_at_least(216, 54);
}

TEST(legality, nz_tiles_are_whole_blocks) {
  Tally tally;
  for (std::int64_t rows : {8, 16, 24, 32})
    for (std::int64_t cols : {8, 12, 16, 20})
      for (Mode mode : {Mode::row, Mode::elem}) {
        Case c{.data = {.form = Form::nz, .rows = rows, .cols = cols, .valid_rows = rows, .valid_cols = cols},
               .table = nz_table("NZ", 4, 16, 8),
               .mode = mode};
        c.index = index_tile(Form::row_major, mode == Mode::row ? 1 : rows, mode == Mode::row ? rows : cols);
        tally.compare<pto::instr::Mgather>(c, gather_operands(c), gather_is_legal);
        tally.compare<pto::instr::Mscatter>(c, scatter_operands(c), scatter_is_legal);
      }
  EXPECT_EQ(tally.disagreements, 0);
  EXPECT_EQ(tally.cases, 64);
  EXPECT_EQ(tally.legal[cpu], 16);
  EXPECT_EQ(tally.legal[a2a3], 16);
  EXPECT_EQ(tally.legal[a5], 0);
}

// Extents and sizes at the limits of 63 bits: shape, stride, and whether any target accepts them.
struct Size {
  std::int64_t shape[5], stride[5];
  bool fits;
};
constexpr std::int64_t giga = std::int64_t{1} << 30, tera = giga * 1024;
constexpr Size sizes[] = {
    {{1, 1, 1, 48, 64}, {3072, 3072, 3072, 64, 1}, true},
    {{1, 1, 1, 0, 64}, {0, 0, 0, 64, 1}, true},
    {{0, tera, tera, tera, 64}, {1, 1, 1, 64, 1}, true},
    {{1, 1, 1, 8 * giga, 64}, {0, 0, 0, 64, 1}, true},
    {{1, 1, 1, 16 * tera, 64}, {0, 0, 0, 64, 1}, true},
    {{1, 1, 1, -1, 64}, {0, 0, 0, 64, 1}, false},
    {{-1, 1, 1, -1, 64}, {0, 0, 0, 64, 1}, false},
    {{1, -2, 1, 0, 64}, {0, 0, 0, 64, 1}, false},
    {{1, 1, 1, 64 * 1024 * tera, 64}, {0, 0, 0, 64, 1}, false},
    {{tera, tera, 1, 1, 64}, {1, 1, 1, 64, 1}, false},
    {{tera, tera, tera, tera, 64}, {1, 1, 1, 64, 1}, false},
    {{1 << 16, 1, 1, 1, 64}, {256 * tera, 1, 1, 64, 1}, false},
    {{2, 1, 1, 1, 64}, {1024 * 1024 * tera, 1, 1, 64, 1}, true},
    {{2, 1, 1, 1, 64}, {2 * 1024 * 1024 * tera, 1, 1, 64, 1}, false},
};

TEST(legality, table_sizes_count_in_63_bits) {
  for (const Size& size : sizes)
    for (Mode mode : {Mode::row, Mode::elem}) {
      Case c{.table = nd_table("ND", 64, 64), .index = index_tile(Form::row_major, 1, 32), .mode = mode};
      if (mode == Mode::elem) c.index = index_tile(Form::row_major, 32, 64);
      auto gather = gather_operands(c);
      auto scatter = scatter_operands(c);
      for (int i = 0; i < 5; ++i) {
        gather.table.shape[i] = scatter.table.shape[i] = size.shape[i];
        gather.table.stride[i] = scatter.table.stride[i] = size.stride[i];
      }
      const std::string where = "case " + std::to_string(&size - sizes) + " " + mode_names[static_cast<int>(mode)];
      EXPECT_EQ(pto::instr::legal_on<pto::instr::Mgather>(gather), size.fits ? everywhere : nowhere) << where;
      EXPECT_EQ(pto::instr::legal_on<pto::instr::Mscatter>(scatter), size.fits ? everywhere : nowhere) << where;
    }
}

// Dynamic extents do not break a rule; the rules for the other operands still apply.

using GatherOperands = pto::instr::Mgather::Operands;
constexpr std::int64_t open_extent = pto::instr::unknown;

int legal_with(const Case& c, void (*change)(GatherOperands&)) {
  GatherOperands o = gather_operands(c);
  change(o);
  return pto::instr::legal_on<pto::instr::Mgather>(pto::instr::resolved<pto::instr::Mgather>(o));
}
Case row_case() { return {.table = nd_table("ND packed", 64, 64), .index = index_tile(Form::row_major, 1, 32)}; }
Case elem_case() {
  Case c = row_case();
  c.mode = Mode::elem, c.index = index_tile(Form::row_major, 32, 64);
  return c;
}
void open_data(GatherOperands& o) { o.dst.valid_rows = o.dst.valid_cols = open_extent; }
void open_index(GatherOperands& o) { o.idx.valid_rows = o.idx.valid_cols = open_extent; }
void open_table(GatherOperands& o) {
  for (int i = 0; i < 5; ++i) o.table.shape[i] = o.table.stride[i] = open_extent;
  o.table.static_block = false;
}
void open_all(GatherOperands& o) { open_data(o), open_index(o), open_table(o); }

TEST(legality, open_extents_refute_nothing) {
  for (Case c : {row_case(), elem_case()})
    for (auto open : {open_data, open_index, open_table, open_all}) {
      EXPECT_EQ(legal_with(c, open), everywhere) << c;
      c.mode = Mode::omitted;
      EXPECT_EQ(legal_with(c, open), everywhere) << c;
    }
}

TEST(legality, an_open_extent_hides_only_what_depends_on_it) {
  Case narrow = row_case(), short_index = row_case();
  narrow.table = nd_table("ND narrower", 63, 63);
  short_index.index = index_tile(Form::row_major, 1, 31);
  EXPECT_EQ(legal_with(narrow, open_data), everywhere);
  EXPECT_EQ(legal_with(narrow, open_table), everywhere);
  EXPECT_EQ(legal_with(narrow, open_index), nowhere);
  EXPECT_EQ(legal_with(short_index, open_data), everywhere);
  EXPECT_EQ(legal_with(short_index, open_index), everywhere);
  EXPECT_EQ(legal_with(short_index, open_table), nowhere);
}

TEST(legality, what_is_known_is_judged_beside_open_extents) {
  Case col_major_index = elem_case(), wide = row_case(), column = row_case();
  col_major_index.index.form = Form::col_major;
  wide.table = nd_table("ND with padded rows", 64, 72);
  column.index = one_padded_column(32);
  EXPECT_EQ(legal_with(col_major_index, open_all), on_cpu | on_a5);
  EXPECT_EQ(legal_with(column, open_all), on_cpu | on_a5);
  EXPECT_EQ(legal_with(wide, [](GatherOperands& o) { o.table.shape[4] = open_extent; }), on_cpu | on_a2a3);
  EXPECT_EQ(legal_with(wide, [](GatherOperands& o) { o.table.stride[3] = open_extent; }), everywhere);
  const auto wrong_index = [](GatherOperands& o) { open_all(o), o.idx.dtype = DType::i64; };
  EXPECT_EQ(legal_with(row_case(), wrong_index), nowhere);
  const auto negative = [](GatherOperands& o) { open_table(o), o.table.shape[2] = -1; };
  EXPECT_EQ(legal_with(row_case(), negative), nowhere);
}

TEST(legality, an_open_block_of_an_nz_table_is_refused_at_once) {
  Case c = row_case();
  c.data.form = Form::nz, c.table = nz_table("NZ", 8, 16, 8);
  EXPECT_EQ(legal_with(c, [](GatherOperands&) {}), on_cpu | on_a2a3);
  EXPECT_EQ(legal_with(c, open_data), on_cpu | on_a2a3);
  EXPECT_EQ(legal_with(c, [](GatherOperands& o) { o.table.shape[2] = open_extent; }), on_cpu | on_a2a3);
  EXPECT_EQ(legal_with(c, open_table), nowhere);
}

}  // namespace
