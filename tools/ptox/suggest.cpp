// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <algorithm>
#include <vector>

namespace ptox::tool {

namespace {

/// The optimal string alignment distance, computed row by row: `above` is the row of the previous character of `a`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
    two_above = above;
    above = row;
  }
  return above[b.size()];
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> names) {
  std::string best;
  std::size_t least = word.size() + 1;
  for (const std::string& name : names) {
    const std::size_t edits = distance(word, name);
    const std::size_t length = std::max(without_dashes(word).size(), without_dashes(name).size());
    if (edits < least && 3 * edits <= length) best = name, least = edits;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string name = nearest(word, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace ptox::tool
