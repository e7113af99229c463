// SPDX-License-Identifier: Apache-2.0
// A misspelt name is answered with the right one, and a different word with nothing.
#include "suggest.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ptox::tool {
namespace {

TEST(suggest, the_nearest_name_by_edit_distance) {
  const std::vector<std::string> names{"--target", "--trace", "--report", "cpu", "a2a3", "a5", "mgather", "mscatter"};
  const std::pair<const char*, const char*> cases[] = {{"--traget", "--target"},   // neighbours swapped
                                                       {"--targets", "--target"},  // one character too many
                                                       {"--tace", "--trace"},      // one missing
                                                       {"-target", "--target"},    // a dash missing
                                                       {"--raport", "--report"},   // one replaced
                                                       {"cup", "cpu"},             // one edit in three characters
                                                       {"mscater", "mscatter"},    //
                                                       {"megather", "mgather"},    //
                                                       {"--target", "--target"},   //
                                                       {"a9", ""},      // one edit in two characters is another word
                                                       {"--fast", ""},  // two edits from --trace
                                                       {"scatter_rows", ""},  //
                                                       {"", ""},              //
                                                       {"--", ""}};
  for (const auto& [word, name] : cases) EXPECT_EQ(nearest(word, names), name) << word;
}

TEST(suggest, the_first_of_names_that_are_equally_near) {
  EXPECT_EQ(nearest("level3", std::vector<std::string>{"level2", "level1"}), "level2");
}

TEST(suggest, a_sentence_or_nothing) {
  const std::vector<std::string> names{"threads"};
  EXPECT_EQ(did_you_mean("thread", names), "; did you mean threads?");
  EXPECT_EQ(did_you_mean("mpi", names), "");
}

}  // namespace
}  // namespace ptox::tool
