// SPDX-License-Identifier: Apache-2.0
#include "bench/result.hpp"

#include <algorithm>

namespace ptox::bench {

namespace {

/// The quantile of the values for a share, interpolated linearly; 0 if there are none.
double quantile(std::vector<double> v, double share) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  const double at = share * static_cast<double>(v.size() - 1);
  const auto low = static_cast<std::size_t>(at), high = std::min(low + 1, v.size() - 1);
  return v[low] + (v[high] - v[low]) * (at - static_cast<double>(low));
}

template <class Better>
const Series* best(const std::vector<Series>& all, Kind kind, int threads, Better better) {
  const Series* found = nullptr;
  for (const Series& s : all)
    if (s.kind == kind && s.threads == threads && (!found || better(s.median(), found->median()))) found = &s;
  return found;
}

}  // namespace

double Series::median() const { return quantile(seconds, 0.5); }

double Series::spread() const {
  const double middle = median();
  return middle > 0 ? (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / middle : 0;
}

const Series* Result::find(const std::string& way, int threads) const {
  for (const Series& s : series)
    if (s.way == way && s.threads == threads) return &s;
  return nullptr;
}

const Series* Result::ours(int threads) const {
  for (const Series& s : series)
    if (s.kind == Kind::ours && s.threads == threads) return &s;
  return nullptr;
}

const Series* Result::plain() const {
  return best(series, Kind::plain, 1, [](double a, double b) { return a < b; });
}

const Series* Result::limit(int threads) const {
  return best(series, Kind::limit, threads, [](double a, double b) { return a > b; });
}

double Result::over_plain(const Series* s) const {
  const Series* loop = plain();
  return s && loop && s->median() > 0 ? loop->median() / s->median() : 0;
}

double Result::nanoseconds(const Series& s) const { return s.median() / items * 1e9; }

}  // namespace ptox::bench
