// SPDX-License-Identifier: Apache-2.0
// In random cases, loads, stores and moves between tiles give the bytes that the manual specifies.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <sstream>
#include <vector>

#include "engine/system/random.hpp"
#include "launched.hpp"
#include "pto/isa/all.hpp"
#include "ptox/ptox.hpp"
#include "random/any_operands.hpp"
#include "random/recorder.hpp"

namespace ptox::random_test {
namespace {

using namespace pto;
using namespace pto::instr;
using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t arena = 64 * 1024;
constexpr TargetMask everywhere = static_cast<TargetMask>(~0u);

/// Byte offset of (r, c) in a tile, by the box arithmetic of the manual.
std::int64_t byte_of(const TileDesc& t, std::int64_t r, std::int64_t c) {
  const std::int64_t size = size_of(t.dtype), c0 = 32 / size;
  std::int64_t at = t.blayout == BLayout::RowMajor ? r * t.cols + c : c * t.rows + r;
  if (t.slayout == SLayout::RowMajor) {
    const std::int64_t box =
        t.blayout == BLayout::RowMajor ? (r / 16) * (t.cols / c0) + c / c0 : (c / c0) * (t.rows / 16) + r / 16;
    at = box * 16 * c0 + (r % 16) * c0 + c % c0;
  }
  if (t.slayout == SLayout::ColMajor) {
    const std::int64_t box =
        t.blayout == BLayout::RowMajor ? (r / c0) * (t.cols / 16) + c / 16 : (c / 16) * (t.rows / c0) + r / c0;
    at = box * 16 * c0 + (c % 16) * c0 + r % c0;
  }
  return t.offset + at * size;
}

/// The contents of one buffer and of a part of global memory, before and after an instruction.
struct Scene {
  Random random;
  const Target* target;
  DType dtype;
  Bytes ub, gm;
  std::int64_t top = 32;

  explicit Scene(std::uint64_t seed) : random(seed), ub(arena), gm(arena) {
    target = target::on_host[random.below(3)];
    dtype = all_dtypes[random.below(12)];
    for (auto& b : ub) b = static_cast<std::uint8_t>(random.next());
    for (auto& b : gm) b = static_cast<std::uint8_t>(random.next());
  }
  TileDesc place(TileDesc t) {
    t.offset = top;
    top = (top + t.bytes() + 32 + 31) / 32 * 32;
    return t;
  }
  void move(const TileDesc& to, std::int64_t r, std::int64_t c, const std::uint8_t* from) {
    std::memmove(&ub[static_cast<std::size_t>(byte_of(to, r, c))], from, static_cast<std::size_t>(size_of(to.dtype)));
  }
  std::uint8_t* element(const TileDesc& t, std::int64_t r, std::int64_t c) {
    return &ub[static_cast<std::size_t>(byte_of(t, r, c))];
  }
  void put_index(const TileDesc& t, std::int64_t r, std::int64_t c, std::uint32_t v) {
    std::memcpy(element(t, r, c), &v, 4);
  }

  /// Issues the instruction on a new device with these bytes, and compares the result with `after`.
  template <class I>
  testing::AssertionResult gives(typename I::Operands o, const Scene& after, TensorDesc* tensor = nullptr) {
    if (!I::Rules::hold(*target, o)) return testing::AssertionSuccess() << "illegal";
    Device dev(*target);
    auto memory = dev.alloc<std::uint8_t>(arena);
    Bytes left = ub;
    bool match = true;
    const auto run = [&](bool record) {
      std::copy(gm.begin(), gm.end(), memory.begin());
      return dev.launch({}, [&] {
        std::byte* base = pto::instr::detail::address(TileType::Vec, 0, arena);
        std::memcpy(base, ub.data(), ub.size());
        if (tensor) tensor->base = memory.data();
        if constexpr (requires { o.src.base; }) o.src.base = tensor ? memory.data() : nullptr;
        if constexpr (requires { o.dst.base; }) o.dst.base = tensor ? memory.data() : nullptr;
        if (record)
          match = effects_match<I>(o);
        else
          issue<I>(o, everywhere, true, Site::current());
        std::memcpy(left.data(), base, left.size());
      });
    };
    for (const bool record : {false, true}) {
      ignore_findings(run(record));
      if (left != after.ub) return testing::AssertionFailure() << "the buffer differs";
      if (!std::equal(memory.begin(), memory.end(), after.gm.begin()))
        return testing::AssertionFailure() << "global memory differs";
    }
    if (!match) return testing::AssertionFailure() << "effects differ from what was touched";
    return testing::AssertionSuccess();
  }
};

/// Byte offset of element (r, c) of a tensor from any_tensor.
std::size_t byte_of(const TensorDesc& t, std::int64_t r, std::int64_t c) {
  const std::int64_t c0 = 32 / size_of(t.dtype);
  std::int64_t at = 0;
  const std::int64_t block = c / c0, half_block = t.shape[1];
  if (t.layout == Layout::NZ)
    at = (block / half_block) * t.stride[0] + (block % half_block) * t.stride[1] + (r / 16) * t.stride[2] +
         (r % 16) * t.stride[3] + c % c0;
  else if (t.layout == Layout::ND)
    at = (r / t.shape[3] / t.shape[2]) * t.stride[1] + (r / t.shape[3] % t.shape[2]) * t.stride[2] +
         (r % t.shape[3]) * t.stride[3] + c * t.stride[4];
  else
    at = (c / t.shape[4] / t.shape[2]) * t.stride[1] + (c / t.shape[4] % t.shape[2]) * t.stride[2] +
         (c % t.shape[4]) * t.stride[4] + r;
  return static_cast<std::size_t>(at * size_of(t.dtype));
}

std::uint64_t pad_pattern(DType d, PadValue pad) {
  const std::map<DType, std::pair<std::uint64_t, std::uint64_t>> extremes{{DType::i8, {0x7f, 0x80}},
                                                                          {DType::u8, {0xff, 0}},
                                                                          {DType::i16, {0x7fff, 0x8000}},
                                                                          {DType::u16, {0xffff, 0}},
                                                                          {DType::i32, {0x7fffffff, 0x80000000}},
                                                                          {DType::u32, {0xffffffff, 0}},
                                                                          {DType::f16, {0x7c00, 0xfc00}},
                                                                          {DType::bf16, {0x7f80, 0xff80}},
                                                                          {DType::f32, {0x7f800000, 0xff800000}},
                                                                          {DType::e4m3, {0x7e, 0xfe}},
                                                                          {DType::e5m2, {0x7c, 0xfc}},
                                                                          {DType::hif8, {0x6f, 0xef}}};
  if (pad == PadValue::Zero) return 0;
  return pad == PadValue::Max ? extremes.at(d).first : extremes.at(d).second;
}

TEST(tload, random_loads_equal_the_plain_loop) {
  int legal = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Scene s(seed);
    TileDesc dst = s.place(any_tile(s.random, s.dtype, one_to(s.random, 20), one_to(s.random, 40)));
    dst.pad = static_cast<PadValue>(s.random.below(4));
    TensorDesc src = any_tensor(s.random, s.dtype, dst.valid_rows, dst.valid_cols);
    Scene after = s;
    for (std::int64_t r = 0; r < dst.rows; ++r)
      for (std::int64_t c = 0; c < dst.cols; ++c) {
        const std::uint64_t pad = pad_pattern(s.dtype, dst.pad);
        if (r < dst.valid_rows && c < dst.valid_cols)
          after.move(dst, r, c, &s.gm[byte_of(src, r, c)]);
        else if (dst.pad != PadValue::Null)
          after.move(dst, r, c, reinterpret_cast<const std::uint8_t*>(&pad));
      }
    legal += Tload::Rules::hold(*s.target, Tload::Operands{dst, src, {}});
    ASSERT_TRUE(s.gives<Tload>({dst, src, {}}, after, &src)) << "seed " << seed;
  }
  EXPECT_GT(legal, 1000);
}

TEST(tstore, random_stores_equal_the_plain_loop) {
  int legal = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Scene s(seed);
    const TileDesc src = s.place(any_tile(s.random, s.dtype, one_to(s.random, 20), one_to(s.random, 40)));
    TensorDesc dst = any_tensor(s.random, s.dtype, src.valid_rows, src.valid_cols);
    const bool add = s.random.below(3) == 0 && (s.dtype == DType::i32 || s.dtype == DType::u32);
    Scene after = s;
    for (std::int64_t r = 0; r < src.valid_rows; ++r)
      for (std::int64_t c = 0; c < src.valid_cols; ++c) {
        std::uint8_t* to = &after.gm[byte_of(dst, r, c)];
        std::uint32_t a = 0, b = 0;
        if (add)
          std::memcpy(&a, to, 4), std::memcpy(&b, s.element(src, r, c), 4), a += b, std::memcpy(to, &a, 4);
        else
          std::memcpy(to, s.element(src, r, c), static_cast<std::size_t>(size_of(s.dtype)));
      }
    const Tstore::Operands o{dst, src, {add ? AtomicType::AtomicAdd : AtomicType::AtomicNone}};
    legal += Tstore::Rules::hold(*s.target, o);
    ASSERT_TRUE(s.gives<Tstore>(o, after, &dst)) << "seed " << seed;
  }
  EXPECT_GT(legal, 1000);
}

TEST(tgather, random_gathers_equal_the_plain_loop) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Scene s(seed);
    const std::int64_t rows = one_to(s.random, 9), cols = one_to(s.random, 20);
    const TileDesc dst = s.place(any_tile(s.random, s.dtype, rows, cols));
    const TileDesc src = s.place(any_tile(s.random, s.dtype, one_to(s.random, 9), one_to(s.random, 20)));
    const TileDesc idx = s.place(any_tile(s.random, s.random.below(2) ? DType::i32 : DType::u32, rows, cols));
    std::vector<std::uint32_t> index;
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      index.push_back(static_cast<std::uint32_t>(s.random.below(static_cast<std::uint64_t>(src.rows * src.cols) + 2)));
      s.put_index(idx, i / cols, i % cols, index.back());
    }
    Scene after = s;
    const std::uint64_t zero = 0;
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      const std::uint32_t at = index[static_cast<std::size_t>(i)];
      const bool inside = at < src.rows * src.cols;
      after.move(dst, i / cols, i % cols,
                 inside ? s.element(src, at / src.cols, at % src.cols) : reinterpret_cast<const std::uint8_t*>(&zero));
    }
    ASSERT_TRUE(s.gives<Tgather>({dst, src, idx, {}}, after)) << "seed " << seed;
  }
}

TEST(tscatter, random_scatters_equal_the_plain_loop) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Scene s(seed);
    const std::int64_t rows = one_to(s.random, 9), cols = one_to(s.random, 20);
    const TileDesc dst = s.place(any_tile(s.random, s.dtype, one_to(s.random, 9), one_to(s.random, 20)));
    const TileDesc src = s.place(any_tile(s.random, s.dtype, rows, cols));
    const TileDesc idx = s.place(any_tile(s.random, s.random.below(2) ? DType::i32 : DType::u32, rows, cols));
    for (std::int64_t i = 0; i < rows * cols; ++i)
      s.put_index(idx, i / cols, i % cols,
                  static_cast<std::uint32_t>(s.random.below(static_cast<std::uint64_t>(dst.rows * dst.cols) + 2)));
    Scene after = s;
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      std::uint32_t at;
      std::memcpy(&at, s.element(idx, i / cols, i % cols), 4);
      if (at < dst.rows * dst.cols) after.move(dst, at / dst.cols, at % dst.cols, s.element(src, i / cols, i % cols));
    }
    ASSERT_TRUE(s.gives<Tscatter>({dst, src, idx, {}}, after)) << "seed " << seed;
  }
}

TEST(tgatherb, random_block_gathers_equal_the_plain_loop) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Scene s(seed);
    const std::int64_t c0 = 32 / size_of(s.dtype), rows = one_to(s.random, 6), blocks = one_to(s.random, 5);
    TileDesc dst{.dtype = s.dtype,
                 .rows = rows,
                 .cols = blocks * c0,
                 .valid_rows = rows,
                 .valid_cols = (blocks - 1) * c0 + one_to(s.random, c0)};
    TileDesc src{.dtype = s.dtype, .rows = 4, .cols = 2 * c0, .valid_rows = 4, .valid_cols = 2 * c0};
    TileDesc offset{.dtype = DType::u32, .rows = rows, .cols = 8, .valid_rows = rows, .valid_cols = blocks};
    dst = s.place(dst), src = s.place(src), offset = s.place(offset);
    for (std::int64_t i = 0; i < rows * blocks; ++i)
      s.put_index(offset, i / blocks, i % blocks, static_cast<std::uint32_t>(s.random.below(10)) * 32);
    Scene after = s;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < dst.valid_cols; ++c) {
        std::uint32_t at;
        std::memcpy(&at, s.element(offset, r, c / c0), 4);
        const std::uint64_t zero = 0;
        const std::uint8_t* from = at + 32 <= src.bytes()
                                       ? &s.ub[static_cast<std::size_t>(src.offset + at + (c % c0) * size_of(s.dtype))]
                                       : reinterpret_cast<const std::uint8_t*>(&zero);
        after.move(dst, r, c, from);
      }
    ASSERT_TRUE(s.gives<Tgatherb>({dst, src, offset, {}}, after)) << "seed " << seed;
  }
}

TEST(tmov, random_moves_masks_and_fills_equal_the_plain_loop) {
  constexpr int bits[] = {0, 0b0101, 0b1010, 0b0001, 0b0010, 0b0100, 0b1000, 0b1111};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Scene s(seed);
    const std::int64_t rows = one_to(s.random, 9), cols = one_to(s.random, 20);
    const TileDesc wide = s.place(any_tile(s.random, s.dtype, rows, cols));
    const TileDesc copy = s.place(any_tile(s.random, s.dtype, rows, cols));
    const int pattern = 1 + static_cast<int>(s.random.below(7));
    std::vector<std::int64_t> kept;
    for (std::int64_t c = 0; c < cols; ++c)
      if (bits[pattern] >> (c % 4) & 1) kept.push_back(c);
    const std::uint64_t fill = s.random.next();
    Scene moved = s, filled = s, gathered = s, scattered = s;
    const TileDesc narrow =
        s.place(any_tile(s.random, s.dtype, rows, std::max<std::int64_t>(1, static_cast<std::int64_t>(kept.size()))));
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        moved.move(copy, r, c, s.element(wide, r, c));
        filled.move(copy, r, c, reinterpret_cast<const std::uint8_t*>(&fill));
      }
      for (std::size_t k = 0; k < kept.size(); ++k) {
        gathered.move(narrow, r, static_cast<std::int64_t>(k), s.element(wide, r, kept[k]));
        scattered.move(wide, r, kept[k], s.element(narrow, r, static_cast<std::int64_t>(k)));
      }
    }
    ASSERT_TRUE(s.gives<Tmov>({copy, wide, {}}, moved)) << "seed " << seed;
    ASSERT_TRUE(s.gives<Texpands>({copy, {fill}}, filled)) << "seed " << seed;
    if (kept.empty()) continue;
    ASSERT_TRUE(s.gives<TgatherMask>({narrow, wide, static_cast<MaskPattern>(pattern)}, gathered)) << "seed " << seed;
    ASSERT_TRUE(s.gives<TscatterMask>({wide, narrow, static_cast<MaskPattern>(pattern)}, scattered)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ptox::random_test
