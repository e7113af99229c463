// SPDX-License-Identifier: Apache-2.0
// Tensors in global memory: Shape, Stride and GlobalTensor.
#pragma once

#include <concepts>
#include <cstdint>

#include "pto/tile/desc.hpp"
#include "pto/tile/place.hpp"

namespace pto {

namespace instr::detail {

/// Reports that a run-time extent contradicts the static extent of the type, which remains in effect.
PTO_EITHER void extent_contradicts(const char* what, int dim, std::int64_t in_type, std::int64_t given, Site site);

/// Reports a dimension that is not 0 to 4.
PTO_EITHER void no_such_dim(const char* who, int dim, Site site);

/// Five extents. Each is static, or, if the template argument is -1, stored in the object.
template <std::int64_t... N>
struct Extents5 {
  static_assert(sizeof...(N) == 5);
  static_assert(((N >= -1) && ...), "an extent is zero or more, or -1 for dynamic");
  /// The template argument of a dimension. It is a function with a local array, because device code cannot access
  /// static arrays of the host.
  static constexpr std::int64_t in_type(int dim) {
    const std::int64_t n[] = {N...};
    return n[dim];
  }
  static constexpr int dynamic_count = ((N == DYNAMIC) + ...);

  std::int64_t value[5] = {(N == DYNAMIC ? 0 : N)...};

  constexpr Extents5() = default;
  /// Takes the dynamic extents, from left to right.
  template <std::integral... E>
    requires(sizeof...(E) == dynamic_count && sizeof...(E) > 0)
  constexpr explicit Extents5(E... dynamic) {
    const std::int64_t given[] = {static_cast<std::int64_t>(dynamic)...};
    for (int d = 0, g = 0; d < 5; ++d)
      if (in_type(d) == DYNAMIC) value[d] = as_given(given[g++]);
  }
  constexpr std::int64_t get(const char* who, int dim, Site site) const {
    if (dim >= 0 && dim < 5) return value[dim];
    return no_such_dim(who, dim, site), 0;
  }
  constexpr void set(const char* what, int dim, std::int64_t v, Site site) {
    if (dim < 0 || dim > 4) return no_such_dim(what, dim, site);
    if (in_type(dim) == DYNAMIC)
      value[dim] = as_given(v);
    else if (v != in_type(dim))
      extent_contradicts(what, dim, in_type(dim), v, site);
  }
  constexpr void set_all(const char* what, const std::int64_t (&given)[5], Site site) {
    for (int d = 0; d < 5; ++d) set(what, d, given[d], site);
  }
};

}  // namespace instr::detail

/// The extents of a tensor; -1 makes an extent dynamic. The constructors take the dynamic extents, from left to right,
/// or all five.
template <std::int64_t N1 = DYNAMIC, std::int64_t N2 = DYNAMIC, std::int64_t N3 = DYNAMIC, std::int64_t N4 = DYNAMIC,
          std::int64_t N5 = DYNAMIC>
struct Shape : instr::detail::Extents5<N1, N2, N3, N4, N5> {
  using Base = instr::detail::Extents5<N1, N2, N3, N4, N5>;
  static constexpr std::int64_t staticShape[5] = {N1, N2, N3, N4, N5};
  constexpr Shape() = default;
  template <std::integral... E>
    requires(sizeof...(E) == Base::dynamic_count && sizeof...(E) > 0 && sizeof...(E) < 5)
  constexpr Shape(E... dynamic) : Base(dynamic...) {}
  constexpr Shape(std::integral auto n1, std::integral auto n2, std::integral auto n3, std::integral auto n4,
                  std::integral auto n5, instr::Site site = instr::Site::current()) {
    Base::set_all("Shape",
                  {static_cast<std::int64_t>(n1), static_cast<std::int64_t>(n2), static_cast<std::int64_t>(n3),
                   static_cast<std::int64_t>(n4), static_cast<std::int64_t>(n5)},
                  site);
  }
};

/// The strides of a tensor in elements; -1 makes a stride dynamic.
template <std::int64_t N1 = DYNAMIC, std::int64_t N2 = DYNAMIC, std::int64_t N3 = DYNAMIC, std::int64_t N4 = DYNAMIC,
          std::int64_t N5 = DYNAMIC>
struct Stride : instr::detail::Extents5<N1, N2, N3, N4, N5> {
  using Base = instr::detail::Extents5<N1, N2, N3, N4, N5>;
  static constexpr std::int64_t staticStride[5] = {N1, N2, N3, N4, N5};
  constexpr Stride() = default;
  template <std::integral... E>
    requires(sizeof...(E) == Base::dynamic_count && sizeof...(E) > 0 && sizeof...(E) < 5)
  constexpr Stride(E... dynamic) : Base(dynamic...) {}
  constexpr Stride(std::integral auto n1, std::integral auto n2, std::integral auto n3, std::integral auto n4,
                   std::integral auto n5, instr::Site site = instr::Site::current()) {
    Base::set_all("Stride",
                  {static_cast<std::int64_t>(n1), static_cast<std::int64_t>(n2), static_cast<std::int64_t>(n3),
                   static_cast<std::int64_t>(n4), static_cast<std::int64_t>(n5)},
                  site);
  }
};

namespace instr::detail {

constexpr std::int64_t product_or_dynamic(std::int64_t a, std::int64_t b) {
  return a == DYNAMIC || b == DYNAMIC ? DYNAMIC : a * b;
}
constexpr std::int64_t quotient_or_dynamic(std::int64_t a, std::int64_t b) { return a == DYNAMIC ? DYNAMIC : a / b; }

template <class T, std::int64_t R, std::int64_t C, Layout L>
struct Shape2D {
  static constexpr std::int64_t c0 = C0_SIZE_BYTE / sizeof(T);
  using type = Shape<1, 1, 1, R, C>;
};
template <class T, std::int64_t R, std::int64_t C>
struct Shape2D<T, R, C, Layout::NZ> {
  static constexpr std::int64_t c0 = C0_SIZE_BYTE / sizeof(T);
  using type = Shape<1, quotient_or_dynamic(C, c0), quotient_or_dynamic(R, 16), 16, c0>;
};

template <class T, std::int64_t R, std::int64_t C, Layout L, std::int64_t RC = product_or_dynamic(R, C)>
struct Stride2D {
  using type = Stride<RC, RC, RC, C, 1>;
};
template <class T, std::int64_t R, std::int64_t C, std::int64_t RC>
struct Stride2D<T, R, C, Layout::DN, RC> {
  using type = Stride<RC, RC, RC, 1, R>;
};
template <class T, std::int64_t R, std::int64_t C, std::int64_t RC>
struct Stride2D<T, R, C, Layout::NZ, RC> {
  static constexpr std::int64_t c0 = C0_SIZE_BYTE / sizeof(T);
  using type = Stride<RC, product_or_dynamic(R, c0), 16 * c0, c0, 1>;
};

}  // namespace instr::detail

/// The shape of a rows x cols matrix in that layout.
template <class T, std::int64_t rows = DYNAMIC, std::int64_t cols = DYNAMIC, Layout layout = Layout::ND>
struct TileShape2D : instr::detail::Shape2D<T, rows, cols, layout>::type {
  using Base = typename instr::detail::Shape2D<T, rows, cols, layout>::type;
  constexpr TileShape2D() = default;
  /// Takes the dynamic extents of the base, or all five.
  template <std::integral... E>
    requires(sizeof...(E) == Base::dynamic_count && sizeof...(E) > 0 && sizeof...(E) != 2 && sizeof...(E) != 5)
  constexpr TileShape2D(E... dynamic) : Base(dynamic...) {}
  constexpr TileShape2D(std::integral auto n1, std::integral auto n2, std::integral auto n3, std::integral auto n4,
                        std::integral auto n5, instr::Site site = instr::Site::current())
      : Base(n1, n2, n3, n4, n5, site) {}
  /// Takes the rows and columns of the matrix, static ones included.
  constexpr TileShape2D(std::integral auto r, std::integral auto c, instr::Site site = instr::Site::current())
      : Base(make(r, c, site)) {}

 private:
  static constexpr Base make(std::int64_t r, std::int64_t c, instr::Site site) {
    constexpr std::int64_t c0 = C0_SIZE_BYTE / sizeof(T);
    if constexpr (layout == Layout::NZ)
      return Base(1, c / c0, r / 16, 16, c0, site);
    else
      return Base(1, 1, 1, r, c, site);
  }
};

/// The packed strides of a rows x cols matrix in that layout.
template <class T, std::int64_t rows = DYNAMIC, std::int64_t cols = DYNAMIC, Layout layout = Layout::ND>
struct BaseShape2D : instr::detail::Stride2D<T, rows, cols, layout>::type {
  using Base = typename instr::detail::Stride2D<T, rows, cols, layout>::type;
  constexpr BaseShape2D() = default;
  /// Takes the dynamic strides of the base, or all five.
  template <std::integral... E>
    requires(sizeof...(E) == Base::dynamic_count && sizeof...(E) > 0 && sizeof...(E) != 2 && sizeof...(E) != 5)
  constexpr BaseShape2D(E... dynamic) : Base(dynamic...) {}
  constexpr BaseShape2D(std::integral auto n1, std::integral auto n2, std::integral auto n3, std::integral auto n4,
                        std::integral auto n5, instr::Site site = instr::Site::current())
      : Base(n1, n2, n3, n4, n5, site) {}
  constexpr BaseShape2D(std::integral auto r, std::integral auto c, instr::Site site = instr::Site::current())
      : Base(make(r, c, site)) {}

 private:
  /// a * b. A product that exceeds 63 bits becomes INT64_MAX, so that rules still reject it as too large.
  static constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return instr::mul_overflows(a, b, &product) ? INT64_MAX : product;
  }
  static constexpr Base make(std::int64_t r, std::int64_t c, instr::Site site) {
    constexpr std::int64_t c0 = C0_SIZE_BYTE / sizeof(T);
    if constexpr (layout == Layout::NZ)
      return Base(times(r, c), times(r, c0), 16 * c0, c0, 1, site);
    else if constexpr (layout == Layout::DN)
      return Base(times(r, c), times(r, c), times(r, c), 1, r, site);
    else
      return Base(times(r, c), times(r, c), times(r, c), c, 1, site);
  }
};

/// A view of global memory: a pointer, five extents, five strides, a layout.
template <class T, class ShapeT, class StrideT, Layout layout_ = Layout::ND>
class GlobalTensor {
 public:
  static_assert(instr::Element<T>, "GlobalTensor: T is not an element type of this ISA");
  using DType = T;
  using RawDType = T;
  using Shape = ShapeT;
  using Stride = StrideT;
  static constexpr Layout layout = layout_;
  static constexpr std::int64_t staticShape[5] = {ShapeT::staticShape[0], ShapeT::staticShape[1],
                                                  ShapeT::staticShape[2], ShapeT::staticShape[3],
                                                  ShapeT::staticShape[4]};

  constexpr GlobalTensor() = default;
  constexpr GlobalTensor(T* data, const Shape& shape = {}, const Stride& stride = {})
      : data_(data), shape_(shape), stride_(stride) {}

  constexpr T* data() const { return data_; }
  constexpr void set_data(T* data) { data_ = data; }
  /// Reports a finding and returns 0 if `dim` is not 0 to 4.
  constexpr std::int64_t GetShape(int dim, instr::Site site = instr::Site::current()) const {
    return shape_.get("GetShape", dim, site);
  }
  constexpr std::int64_t GetStride(int dim, instr::Site site = instr::Site::current()) const {
    return stride_.get("GetStride", dim, site);
  }
  template <int dim>
  static constexpr std::int64_t GetShape() {
    return ShapeT::in_type(dim);
  }
  template <int dim>
  static constexpr std::int64_t GetStride() {
    return StrideT::in_type(dim);
  }
  constexpr void SetShape(int dim, std::int64_t extent, instr::Site site = instr::Site::current()) {
    shape_.set("Shape", dim, extent, site);
  }
  constexpr void SetStride(int dim, std::int64_t stride, instr::Site site = instr::Site::current()) {
    stride_.set("Stride", dim, stride, site);
  }
  constexpr void SetShape(const Shape& shape) { shape_ = shape; }
  constexpr void SetStride(const Stride& stride) { stride_ = stride; }

  /// The descriptor as far as the type determines it: dynamic extents and strides are `unknown`.
  static constexpr instr::TensorDesc type_desc() {
    instr::TensorDesc d{
        .dtype = instr::dtype_of<T>, .layout = layout, .static_block = GetShape<3>() >= 0 && GetShape<4>() >= 0};
    for (int i = 0; i < 5; ++i) {
      d.shape[i] = ShapeT::in_type(i) == DYNAMIC ? instr::unknown : ShapeT::in_type(i);
      d.stride[i] = StrideT::in_type(i) == DYNAMIC ? instr::unknown : StrideT::in_type(i);
    }
    return d;
  }
  constexpr instr::TensorDesc desc() const {
    instr::TensorDesc d = type_desc();
    for (int i = 0; i < 5; ++i) d.shape[i] = shape_.value[i], d.stride[i] = stride_.value[i];
    d.base = const_cast<std::remove_cv_t<T>*>(data_);
    return d;
  }

 private:
  T* data_ = nullptr;
  [[no_unique_address]] Shape shape_{};
  [[no_unique_address]] Stride stride_{};
};

namespace instr {

template <class T>
concept TensorOperand = requires(const T& t) {
  { t.desc() } -> std::same_as<TensorDesc>;
};

}  // namespace instr
}  // namespace pto
