// SPDX-License-Identifier: Apache-2.0
// Splits a C++ source into tokens, as far as the search for launches requires it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ptox::tool {

/// `less` and `greater` are maximal runs of < or >; `boundary` is the begin and the end of a #define.
enum class TokenKind { name, literal, less, greater, punctuation, boundary };

struct Token {
  TokenKind kind;
  std::size_t begin, size;
  int line;                      ///< from 1
  bool after_directive = false;  ///< a directive stands between the previous token and this one
};

/// Comments and directives other than #define yield no tokens. The tokens of a #define start with the name of the
/// macro. Accepts any bytes. An unterminated literal ends at the end of its line, an unterminated raw string or comment
/// at the end of the source.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace ptox::tool
