// SPDX-License-Identifier: Apache-2.0
// Checks the type and the message of an exception.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptox::ops_test {

/// Whether `part` occurs in `text` as whole words and numbers, not as parts of longer ones.
inline bool has_words(std::string_view text, std::string_view part) {
  const auto inside = [](char a, char b) {
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    return (word(a) && word(b)) || (a == '-' && std::isdigit(static_cast<unsigned char>(b)));
  };
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || !inside(text[at - 1], text[at])) && (end == text.size() || !inside(text[end - 1], text[end])))
      return true;
  }
  return false;
}

/// Expects that the call throws this type of exception with a message that contains each of the parts.
template <class Exception, class Call>
void expect_says(Call&& call, std::initializer_list<std::string_view> parts) {
  try {
    call();
    ADD_FAILURE() << "no exception";
  } catch (const Exception& e) {
    for (const std::string_view part : parts)
      EXPECT_TRUE(has_words(e.what(), part)) << "'" << part << "' is not in: " << e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another kind of exception: " << e.what();
  }
}
template <class Call>
void expect_invalid(Call&& call, std::initializer_list<std::string_view> parts) {
  expect_says<std::invalid_argument>(call, parts);
}
template <class Call>
void expect_out_of_range(Call&& call, std::initializer_list<std::string_view> parts) {
  expect_says<std::out_of_range>(call, parts);
}

}  // namespace ptox::ops_test
