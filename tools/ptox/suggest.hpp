// SPDX-License-Identifier: Apache-2.0
// The name that a misspelt word most likely stands for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ptox::tool {

/// The name nearest to `word` by edit distance: characters inserted, removed, replaced, or swapped with their
/// neighbour. Empty when none is near: one edit for every three characters, dashes at the beginning not counted.
std::string nearest(std::string_view word, std::span<const std::string> names);

/// "; did you mean NAME?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace ptox::tool
