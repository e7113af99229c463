// SPDX-License-Identifier: Apache-2.0
#include "bench/indices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/system/random.hpp"

namespace ptox::bench {

namespace {

double unit(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

/// Draws k in [1, n] with a probability proportional to 1 / k^s, by rejection-inversion (Hörmann, Derflinger 1996).
class Zipf {
 public:
  Zipf(double n, double s) : s_(s), low_(integral(1.5) - 1), high_(integral(n + 0.5)) {}
  std::int64_t draw(Random& random) const {
    for (;;) {
      const double u = high_ + unit(random) * (low_ - high_);
      const double k = std::floor(inverse(u) + 0.5);
      if (k >= 1 && u >= integral(k + 0.5) - std::pow(k, -s_)) return static_cast<std::int64_t>(k);
    }
  }

 private:
  double integral(double x) const { return std::expm1((1 - s_) * std::log(x)) / (1 - s_); }
  double inverse(double u) const { return std::exp(std::log1p(u * (1 - s_)) / (1 - s_)); }
  double s_, low_, high_;
};

/// A pseudo-random permutation of [0, n) that needs no table: a bijection of the next larger power of two is applied
/// until the result is below n.
class Shuffle {
 public:
  Shuffle(std::uint64_t n, std::uint64_t seed) : n_(n), seed_(seed) {
    while ((std::uint64_t{1} << bits_) < n) ++bits_;
    mask_ = (std::uint64_t{1} << bits_) - 1;
  }
  std::int64_t operator()(std::uint64_t k) const {
    do k = mix(k);
    while (k >= n_);
    return static_cast<std::int64_t>(k);
  }

 private:
  std::uint64_t mix(std::uint64_t k) const {
    const unsigned half = bits_ / 2 + 1;
    for (int turn = 0; turn < 3; ++turn) {
      k = (k * 0x9e3779b97f4a7c15u + seed_) & mask_;
      k ^= k >> half;
    }
    return k;
  }
  std::uint64_t n_, seed_, mask_ = 0;
  unsigned bits_ = 1;
};

void fill_zipf(std::span<std::int32_t> idx, std::int64_t rows, Random& random) {
  const Zipf zipf(static_cast<double>(rows), 1.05);
  const Shuffle place(static_cast<std::uint64_t>(rows), random.next());
  for (std::int32_t& i : idx)
    i = static_cast<std::int32_t>(place(static_cast<std::uint64_t>(std::min(zipf.draw(random), rows) - 1)));
}

void fill_permutation(std::span<std::int32_t> idx, std::int64_t rows, Random& random) {
  for (std::size_t i = 0; i < idx.size(); ++i) idx[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(rows));
  for (std::size_t i = idx.size(); i > 1; --i) std::swap(idx[i - 1], idx[random.below(i)]);
}

/// Fills with ascending indices that are spread evenly over the table.
void fill_sorted(std::span<std::int32_t> idx, std::int64_t rows) {
  const auto count = static_cast<std::int64_t>(idx.size());
  for (std::int64_t i = 0; i < count; ++i)
    idx[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * rows / count);
}

}  // namespace

const char* name(Order order) {
  constexpr const char* names[] = {"uniform", "Zipf",     "permutation",  "all the same",
                                   "sorted",  "reversed", "two hot rows", "a window"};
  return names[static_cast<int>(order)];
}

void fill_indices(std::span<std::int32_t> idx, std::int64_t rows, Order order, std::uint64_t seed) {
  Random random(seed);
  const auto all = static_cast<std::uint64_t>(rows);
  const std::int32_t hot[] = {static_cast<std::int32_t>(random.below(all)),
                              static_cast<std::int32_t>(random.below(all))};
  if (order == Order::uniform)
    for (std::int32_t& i : idx) i = static_cast<std::int32_t>(random.below(all));
  if (order == Order::zipf) fill_zipf(idx, rows, random);
  if (order == Order::permutation) fill_permutation(idx, rows, random);
  if (order == Order::all_same) std::fill(idx.begin(), idx.end(), hot[0]);
  if (order == Order::sorted || order == Order::reversed) fill_sorted(idx, rows);
  if (order == Order::reversed) std::reverse(idx.begin(), idx.end());
  if (order == Order::two_hot)
    for (std::int32_t& i : idx) i = hot[random.next() >> 63];
  if (order == Order::window)
    for (std::int32_t& i : idx) i = static_cast<std::int32_t>(all / 3 + random.below(all / 128 + 1));
}

void drop_share(std::span<std::int32_t> idx, double share, std::uint64_t seed) {
  Random random(seed);
  for (std::int32_t& i : idx)
    if (unit(random) < share) i = -1;
}

}  // namespace ptox::bench
