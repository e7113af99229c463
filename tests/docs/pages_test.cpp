// SPDX-License-Identifier: Apache-2.0
// README.md and every page of docs: snippets compile and run as shown, links lead somewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <vector>

#include "docs/runner.hpp"
#include "ptox/finding.hpp"

namespace ptox::docs {
namespace {

namespace fs = std::filesystem;
const fs::path root = PTOX_SOURCE_DIR;

/// Paths below the root; generated pages included.
std::vector<std::string> pages() {
  std::vector<std::string> out{"README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") out.push_back(fs::relative(entry.path(), root));
  std::sort(out.begin(), out.end());
  return out;
}

/// The anchor that a code host gives a heading.
std::string anchor_of(const std::string& heading) {
  std::string out;
  for (const char c : heading)
    if (c == ' ' || c == '-')
      out += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) > 127)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool has_heading(const std::string& page, const std::string& anchor) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#") && anchor_of(line.substr(std::min(line.size(), line.find(' ') + 1))) == anchor)
      return true;
  return false;
}

/// The links of a page that lead nowhere, those outside the tree excepted.
std::vector<std::string> broken_links(const fs::path& file, const std::string& text) {
  std::vector<std::string> out;
  const std::regex link(R"(\]\(([^)#\s]*)(#[^)\s]*)?\))");
  for (std::sregex_iterator m(text.begin(), text.end(), link), end; m != end; ++m) {
    const std::string path = (*m)[1], anchor = (*m)[2];
    if (path.find("://") != std::string::npos) continue;
    const fs::path to = file.parent_path() / path;
    const bool exists = path.empty() || fs::exists(to);
    if (!exists || (!anchor.empty() && !has_heading(path.empty() ? text : contents(to), anchor.substr(1))))
      out.push_back((*m)[0]);
  }
  return out;
}

/// The pages beside the README that have no snippets to run.
class RootPage : public testing::TestWithParam<std::string> {};

TEST_P(RootPage, links_lead_somewhere) {
  EXPECT_EQ(broken_links(root / GetParam(), contents(root / GetParam())), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(docs, RootPage, testing::Values("CHANGELOG.md", "CONTRIBUTING.md", "HACKING.md", "STYLE.md"),
                         [](const auto& page) { return page.param.substr(0, page.param.find('.')); });

class Page : public testing::TestWithParam<std::string> {};

TEST_P(Page, snippets_compile_and_run_as_shown) {
  for (const std::string& complaint : Runner().check(contents(root / GetParam())))
    ADD_FAILURE() << GetParam() << ": " << complaint;
}

TEST_P(Page, links_lead_somewhere) {
  const std::string text = contents(root / GetParam());
  EXPECT_EQ(broken_links(root / GetParam(), text), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(docs, Page, testing::ValuesIn(pages()), [](const auto& page) {
  std::string name = page.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(docs, the_readme_has_at_most_150_lines) {
  const std::string readme = contents(root / "README.md");
  EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 150);
}

TEST(docs, the_readme_links_every_page) {
  const std::string readme = contents(root / "README.md");
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(!name.ends_with(".md") || readme.find("(docs/" + name + ")") != std::string::npos) << name;
  }
}

TEST(docs, every_kind_of_finding_is_described) {
  const std::string tables = contents(root / "docs/check-a-kernel.md") + contents(root / "docs/ranks.md");
  for (int k = 0; k <= static_cast<int>(FindingKind::usage); ++k) {
    const std::string id = name(static_cast<FindingKind>(k));
    EXPECT_NE(tables.find("\n| `" + id + "`"), std::string::npos) << id;
  }
}

/// Compares what `command` makes in the folder $OUT with the committed file.
void expect_current(const std::string& command, const std::string& made, const std::string& committed) {
  const Folder folder;
  const Ended e = shell("export OUT='" + folder.path.string() + "' && cd '" PTOX_SOURCE_DIR "' && " + command);
  ASSERT_EQ(e.code, 0) << e.output;
  EXPECT_EQ(contents(folder.path / made), contents(root / committed)) << "made by " << command;
}

TEST(docs, the_timeline_is_the_one_of_the_example) {
  expect_current(
      "'" PTOX_TOOL
      "' run examples/ping_pong.pto --arg pairs=4 --target a5 --trace $OUT/t.json && python3 docs/pictures/timeline.py "
      "$OUT/t.json $OUT/timeline.svg 'examples/ping_pong on a5: rows are stored while the next ones are gathered'",
      "timeline.svg", "docs/pictures/timeline.svg");
}

TEST(docs, the_summary_of_the_performance_page_agrees_with_its_measurements) {
  const std::string make =
      "cp docs/performance.md $OUT/page.md && python3 docs/performance/summary.py $OUT/page.md $OUT/summary.svg";
  expect_current(make, "page.md", "docs/performance.md");
  expect_current(make, "summary.svg", "docs/performance/summary.svg");
}

// What follows tests the tests: each kind of wrong page must be found.

/// The only complaint about a page; "" when there is none.
std::string complaint_about(const std::string& page) {
  const std::vector<std::string> all = Runner().check(page);
  EXPECT_LE(all.size(), 1u);
  return all.empty() ? "" : all.front();
}
const std::string fence = "```";
std::string snippet(const std::string& kind, const std::string& text) {
  return fence + kind + "\n" + text + fence + "\n";
}

TEST(snippets, right_ones_are_accepted) {
  EXPECT_EQ(complaint_about(snippet("sh", "echo 1; exit 3  # exit code 3\n") + "prose\n" + snippet("text", "1\n")), "");
  EXPECT_EQ(complaint_about(snippet("sh", "seq 5\n") + snippet("text", "1\n...\n5\n")), "");
  EXPECT_EQ(complaint_about(snippet("sh illustrative: it takes minutes", "./ptox isa --md\n")), "");
  EXPECT_EQ(
      complaint_about(snippet("cpp a.cpp", "int a;\n") + snippet("sh", "cat a.cpp\n") + snippet("text", "int a;\n")),
      "");
}

TEST(snippets, unknown_kinds_are_refused) {
  for (const std::string kind : {"", "c", "python", "sh run", "text illustrative:", "cpp a b"})
    EXPECT_NE(complaint_about(snippet(kind, "x\n")).find("line 1: unknown kind of snippet"), std::string::npos) << kind;
  EXPECT_THROW(snippets_of(fence + "sh\necho\n"), std::invalid_argument);
}

TEST(snippets, wrong_outputs_and_exit_codes_are_found) {
  EXPECT_NE(complaint_about(snippet("sh", "echo 1\n") + snippet("text", "2\n")).find("line 4: the page shows"),
            std::string::npos);
  EXPECT_NE(complaint_about(snippet("sh", "seq 5\n") + snippet("text", "1\n...\n4\n")).find("line 4: the page shows"),
            std::string::npos);
  EXPECT_NE(complaint_about(snippet("sh", "exit 3\n")).find("ended with 3, not 0"), std::string::npos);
  EXPECT_NE(complaint_about(snippet("text", "1\n")).find("there is no snippet before"), std::string::npos);
}

TEST(snippets, programs_that_do_not_compile_are_found) {
  EXPECT_NE(complaint_about(snippet("cpp", "int f() { return undeclared; }\n")).find("undeclared"), std::string::npos);
  EXPECT_NE(complaint_about(snippet("cpp", "int main() { return 4; }\n")).find("ended with 4"), std::string::npos);
}

TEST(snippets, files_that_nothing_uses_and_options_that_do_not_exist_are_found) {
  EXPECT_NE(complaint_about(snippet("cpp a.cpp", "int a;\n")).find("no later command uses a.cpp"), std::string::npos);
  EXPECT_NE(
      complaint_about(snippet("sh illustrative: it takes minutes", "./ptox isa --pdf\n")).find("isa has no --pdf"),
      std::string::npos);
}

TEST(links, broken_ones_are_found) {
  const fs::path page = root / "docs" / "none.md";
  EXPECT_EQ(broken_links(page, "[a](model.md) [b](../README.md) [c](https://x.org) # B c\n[d](#b-c)"),
            (std::vector<std::string>{"](#b-c)"}));
  EXPECT_EQ(broken_links(page, "# B c\n[d](#b-c) [e](nothing.md) [f](model.md#nothing)"),
            (std::vector<std::string>{"](nothing.md)", "](model.md#nothing)"}));
}

}  // namespace
}  // namespace ptox::docs
