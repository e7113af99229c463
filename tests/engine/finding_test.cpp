// SPDX-License-Identifier: Apache-2.0
// Kinds and typed values of findings, and their form in text, JSON and SARIF.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "comm/group/mail.hpp"
#include "engine/report/findings.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox {
namespace {

using nlohmann::json;

std::string text_of(const Report& r) {
  std::ostringstream out;
  out << r;
  return out.str();
}

Report with(Finding f, int blocks = 1) { return Report("a5", "k", blocks, {std::move(f)}); }

TEST(finding_kind, is_found_again_by_its_name) {
  std::set<std::string> names;
  for (int k = 0; k <= static_cast<int>(FindingKind::usage); ++k) {
    const auto kind = static_cast<FindingKind>(k);
    EXPECT_TRUE(names.insert(name(kind)).second) << kind << " twice";
    EXPECT_EQ(find_kind(name(kind)), kind);
  }
  EXPECT_EQ(find_kind("no-such-kind"), std::nullopt);
  EXPECT_STREQ(name(FindingKind::oob_index), "oob-index");
}

TEST(finding_kind, gives_a_finding_its_id_and_severity) {
  const Finding f{.kind = FindingKind::alias};
  EXPECT_EQ(f.id, "alias");
  EXPECT_EQ(f.severity, Severity::warning);
  const Report r = with({.kind = FindingKind::negative_index});
  EXPECT_TRUE(r.has(FindingKind::negative_index) && r.has("negative-index"));
  EXPECT_FALSE(r.has(FindingKind::oob_index) || r.has("oob-index"));
  EXPECT_TRUE(r.clean());
}

TEST(finding_values, are_numbers_and_texts_in_json_as_in_the_finding) {
  const Report r = with(
      {.kind = FindingKind::race, .message = "m", .where = {{FindingField::operand, "7"}, {FindingField::value, -7}}});
  const json where = json::parse(r.json())["findings"][0]["where"];
  EXPECT_EQ(where, json({{"operand", "7"}, {"value", -7}}));
  EXPECT_EQ(json::parse(r.sarif())["runs"][0]["results"][0]["properties"]["where"], where);
  const Finding& f = r.findings()[0];
  ASSERT_TRUE(f.number(FindingField::value) && f.text(FindingField::operand));
  EXPECT_EQ(*f.number(FindingField::value), -7);
  EXPECT_EQ(f.text(FindingField::value), nullptr);
  EXPECT_FALSE(f.has(FindingField::row));
}

TEST(finding_values, decide_what_the_text_adds_to_a_message_whatever_the_message_says) {
  Finding f{.kind = FindingKind::race,
            .message = "as in block 1 (3 more, up to 9)",
            .file = "k.cpp",
            .line = 4,
            .block = 2,
            .count = 4};
  EXPECT_EQ(text_of(with(f, 8)).substr(0, 96),
            "k.cpp:4: error: [race] as in block 1 (3 more, up to 9) (4 times, first in block 2)\na5, 8 blocks:");
  f.where = {{FindingField::block, 2}, {FindingField::more, 3}};
  EXPECT_EQ(text_of(with(f, 8)).substr(0, 69),
            "k.cpp:4: error: [race] as in block 1 (3 more, up to 9)\na5, 8 blocks: ");
}

TEST(finding_log, counts_repeats_by_kind_line_instruction_and_cause) {
  const auto site = pto::instr::Site::current();
  const auto draft = [](const char* instruction, std::int64_t high) {
    return FindingDraft{.kind = FindingKind::oob_index,
                        .message = "reads past it",
                        .where = {{FindingField::instruction, instruction}, {FindingField::high, high}},
                        .cause = "idx",
                        .advice = ". Stop"};
  };
  FindingLog log;
  log.add(draft("mgather", 5), site, 0), log.add(draft("mgather", 9), site, 0), log.add(draft("mscatter", 7), site, 0);
  const auto found = log.take();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].message, "reads past it (1 more, up to 9). Stop");
  EXPECT_EQ(found[0].count, 2);
  EXPECT_EQ(*found[0].number(FindingField::more), 1);
  EXPECT_EQ(found[1].message, "reads past it. Stop");
}

TEST(finding_log, adds_findings_of_launches_without_a_second_tail) {
  Finding f{.kind = FindingKind::oob_index,
            .message = "reads past it (1 more, up to 9). Stop",
            .count = 2,
            .where = {{FindingField::high, 9}, {FindingField::more, 1}}};
  FindingLog log;
  log.add(f), log.add(f);
  const auto found = log.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, f.message);
  std::ostringstream text;
  text << found[0];
  EXPECT_EQ(text.str(), "error: [oob-index] reads past it (1 more, up to 9). Stop (4 times)");
}

TEST(finding_log, keeps_findings_on_two_targets_apart_and_prints_the_target) {
  Finding f{.kind = FindingKind::oob_index, .message = "reads past it", .count = 2};
  FindingLog log;
  log.add(f);
  f.where.emplace_back(FindingField::target, "a2a3");
  log.add(f);
  const auto found = log.take();
  ASSERT_EQ(found.size(), 2u);
  std::ostringstream text;
  text << found[0] << '\n' << found[1];
  EXPECT_EQ(text.str(),
            "error: [oob-index] reads past it (2 times)\nerror: [oob-index] reads past it (2 times, on a2a3)");
}

TEST(finding, is_reported_by_its_kind_even_if_the_id_was_set_to_something_else) {
  Finding f;
  f.kind = FindingKind::race;
  f.message = "m";
  ASSERT_NE(f.id, "race");
  const Report r = with(f);
  EXPECT_TRUE(r.has("race"));
  EXPECT_FALSE(r.has("illegal"));
  EXPECT_EQ(json::parse(r.json())["findings"][0]["id"], "race");
  EXPECT_EQ(json::parse(r.sarif())["runs"][0]["results"][0]["ruleId"], "race");
  std::ostringstream text;
  text << f;
  EXPECT_EQ(text.str(), "error: [race] m");
}

TEST(finding, stores_numbers_that_are_too_large_as_the_largest_one) {
  const Finding f{.where = {{FindingField::dyn_ub_bytes, ~std::uint64_t{0}}, {FindingField::value, std::int64_t{-1}}}};
  EXPECT_EQ(*f.number(FindingField::dyn_ub_bytes), INT64_MAX);
  EXPECT_EQ(*f.number(FindingField::value), -1);
}

TEST(finding, names_of_numbers_that_are_no_kind_are_refused) {
  EXPECT_THROW(static_cast<void>(name(static_cast<FindingKind>(200))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(severity_of(static_cast<FindingKind>(200))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(name(static_cast<FindingField>(200))), std::invalid_argument);
}

TEST(finding, travels_between_ranks_with_its_kind_and_values) {
  const Finding f{.kind = FindingKind::stale_cache,
                  .severity = Severity::warning,
                  .message = "m",
                  .file = "k.cpp",
                  .line = 4,
                  .block = 2,
                  .count = 3,
                  .where = {{FindingField::operand, "src"}, {FindingField::other_line, 7}}};
  const comm::Mail there = comm::opened(comm::sealed({"answer", with(f), {}}));
  ASSERT_EQ(there.report.findings().size(), 1u);
  const Finding& g = there.report.findings()[0];
  EXPECT_EQ(g.kind, f.kind);
  EXPECT_EQ(g.id, "stale-cache");
  EXPECT_EQ(g.severity, f.severity);
  EXPECT_EQ(g.message + g.file, "mk.cpp");
  EXPECT_EQ((std::vector<std::int64_t>{g.line, g.block, g.count}), (std::vector<std::int64_t>{4, 2, 3}));
  EXPECT_EQ(g.where, f.where);
}

TEST(report_json, quotes_what_is_no_utf8) {
  const Report r = with({.kind = FindingKind::illegal, .message = "a \"b\\\n\xff", .file = "dir/\"k\".cpp"});
  const json finding = json::parse(r.json())["findings"][0];
  EXPECT_EQ(finding["message"], "a \"b\\\n\xEF\xBF\xBD");
  EXPECT_EQ(finding["file"], "dir/\"k\".cpp");
}

TEST(report_json, has_one_finding_a_line) {
  const Finding f{.kind = FindingKind::race, .message = "m", .file = "k.cpp", .line = 4};
  const std::string text = Report("a5", "k", 1, {f, f}).json();
  EXPECT_EQ(
      text.substr(0, 87),
      "{\"target\": \"a5\", \"kernel\": \"k\", \"blocks\": 1,\n \"findings\": [\n  {\"id\": \"race\", \"severity\"");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
}

TEST(report_sarif, places_both_sides_of_a_conflict) {
  const Report r =
      with({.kind = FindingKind::race,
            .message = "m",
            .file = "k.cpp",
            .line = 4,
            .where = {{FindingField::column, 9}, {FindingField::other_file, "o.cpp"}, {FindingField::other_line, 12}}});
  const json result = json::parse(r.sarif())["runs"][0]["results"][0];
  const auto place = [](const json& l) { return l["physicalLocation"]; };
  EXPECT_EQ(result["ruleId"], "race");
  EXPECT_EQ(place(result["locations"][0])["artifactLocation"]["uri"], "k.cpp");
  EXPECT_EQ(place(result["locations"][0])["region"], json({{"startLine", 4}, {"startColumn", 9}}));
  EXPECT_EQ(place(result["relatedLocations"][0])["artifactLocation"]["uri"], "o.cpp");
  EXPECT_EQ(place(result["relatedLocations"][0])["region"], json({{"startLine", 12}}));
}

}  // namespace
}  // namespace ptox
