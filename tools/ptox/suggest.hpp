// SPDX-License-Identifier: Apache-2.0
// Finds the name that a misspelt word most likely stands for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ptox::tool {

/// The name nearest to `word` by edit distance: characters inserted, removed, replaced, or swapped with their
/// neighbour. Empty if no name is within one edit for every three characters, not counting leading dashes.
std::string nearest(std::string_view word, std::span<const std::string> names);

/// "; did you mean NAME?", or an empty string.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace ptox::tool
