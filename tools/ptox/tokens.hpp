// SPDX-License-Identifier: Apache-2.0
// Splits a C++ source into tokens, as far as launches require it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ptox::tool {

/// `less` and `greater` are runs of < or > as long as they go; `boundary` ends a #define.
enum class TokenKind { name, literal, less, greater, punctuation, boundary };

struct Token {
  TokenKind kind;
  std::size_t begin, size;
  int line;  ///< from 1
};

/// Comments and directives other than #define are not there. Takes any bytes; what does not end, ends with its line,
/// a raw string or a comment with the source.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace ptox::tool
