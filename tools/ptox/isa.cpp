// SPDX-License-Identifier: Apache-2.0
// ptox isa: prints which operands each target accepts, as legality tables derived from the rules.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "pto/isa/all.hpp"
#include "ptox/target.hpp"
#include "suggest.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

using Json = nlohmann::ordered_json;  // keeps the order of insertion

/// One row of a legality table: for each target the rule that rejects it, or empty if it is accepted.
struct Row {
  std::string label;
  std::vector<std::string> refused_by;
};
struct Table {
  std::string title;
  std::vector<Row> rows;
};
struct RuleText {
  std::string code, sentence;
};
struct OperandText {
  std::string name, role;
};
struct Instruction {
  std::string mnemonic;
  std::vector<OperandText> operands;
  std::vector<RuleText> rules;
  std::vector<Table> tables;
};

template <class I>
Row judge(const char* label, const typename I::Operands& o) {
  Row row{label, {}};
  for (const Target* t : target::all) {
    std::string broken;
    I::Rules::each([&]<class R>() {
      if (broken.empty() && !R::holds(*t, o)) broken = R::label.code;
    });
    row.refused_by.push_back(broken);
  }
  return row;
}

/// Orders rules by number, C2 before C10.
bool by_number(const RuleText& a, const RuleText& b) {
  return a.code.size() != b.code.size() ? a.code.size() < b.code.size() : a.code < b.code;
}

template <class I>
Instruction describe() {
  constexpr const char* roles[] = {"read", "written", "read and written", "scratch"};
  Instruction out{I::mnemonic, {}, {}, {}};
  typename I::Operands none{};
  I::OperandList::each(
      none, [&]<class F>(F, const auto&) { out.operands.push_back({F::name, roles[static_cast<int>(F::role)]}); });
  I::Rules::each([&]<class R>() { out.rules.push_back({R::label.code, R::label.sentence}); });
  std::sort(out.rules.begin(), out.rules.end(), by_number);
  I::samples([&](const char* title, const char* label, const typename I::Operands& o) {
    auto table = std::find_if(out.tables.begin(), out.tables.end(), [&](const Table& t) { return t.title == title; });
    if (table == out.tables.end()) table = out.tables.insert(out.tables.end(), Table{title, {}});
    table->rows.push_back(judge<I>(label, o));
  });
  return out;
}

std::vector<Instruction> describe_all() {
  std::vector<Instruction> all;
  pto::instr::AllInstructions::each([&]<class I>() { all.push_back(describe<I>()); });
  return all;
}

std::string verdict(const std::string& refused_by) { return refused_by.empty() ? "✓" : "– " + refused_by; }

void print_text(std::ostream& out, const Instruction& i) {
  out << i.mnemonic << '\n';
  for (const OperandText& o : i.operands) out << "  " << o.name << ": " << o.role << '\n';
  for (const RuleText& r : i.rules) out << "  " << r.code << std::string(4 - r.code.size(), ' ') << r.sentence << '\n';
  for (const Table& t : i.tables) {
    out << "\n  " << t.title << std::string(t.title.size() < 46 ? 46 - t.title.size() : 1, ' ');
    for (const Target* target : target::all)
      out << target->name << std::string(8 - std::string(target->name).size(), ' ');
    out << '\n';
    for (const Row& row : t.rows) {
      out << "    " << row.label << std::string(row.label.size() < 44 ? 44 - row.label.size() : 1, ' ');
      for (const std::string& refused : row.refused_by)
        out << verdict(refused) << std::string(refused.empty() ? 7 : 6 - refused.size(), ' ');
      out << '\n';
    }
  }
  out << '\n';
}

std::string markdown(const Instruction& i) {
  std::ostringstream out;
  out << "# " << i.mnemonic << "\n\nGenerated from the rules by `ptox isa --md`; not edited by hand.\n";
  if (!i.operands.empty()) out << "\n| operand | is |\n|---|---|\n";
  for (const OperandText& o : i.operands) out << "| `" << o.name << "` | " << o.role << " |\n";
  if (!i.rules.empty()) out << "\n| rule | says |\n|---|---|\n";
  for (const RuleText& r : i.rules) out << "| " << r.code << " | " << r.sentence << " |\n";
  for (const Table& t : i.tables) {
    out << "\n## " << t.title << "\n\n| |";
    for (const Target* target : target::all) out << ' ' << target->name << " |";
    out << "\n|---|";
    for (std::size_t k = 0; k < std::size(target::all); ++k) out << "---|";
    out << '\n';
    for (const Row& row : t.rows) {
      out << "| " << row.label << " |";
      for (const std::string& refused : row.refused_by) out << ' ' << verdict(refused) << " |";
      out << '\n';
    }
  }
  return out.str();
}

Json to_json(const Instruction& i) {
  Json out{{"mnemonic", i.mnemonic}, {"operands", Json::array()}, {"rules", Json::array()}, {"tables", Json::array()}};
  for (const OperandText& o : i.operands) out["operands"].push_back({{"name", o.name}, {"role", o.role}});
  for (const RuleText& r : i.rules) out["rules"].push_back({{"code", r.code}, {"sentence", r.sentence}});
  for (const Table& t : i.tables)
    for (const Row& row : t.rows) {
      Json line{{"table", t.title}, {"case", row.label}};
      for (std::size_t k = 0; k < row.refused_by.size(); ++k)
        line[target::all[k]->name] = row.refused_by[k].empty() ? "ok" : row.refused_by[k];
      out["tables"].push_back(std::move(line));
    }
  return out;
}

void print_json(std::ostream& out, const std::vector<Instruction>& all) {
  Json list = Json::array();
  for (const Instruction& i : all) list.push_back(to_json(i));
  out << list.dump(1) << '\n';
}

/// Writes one page per instruction, named after it.
int write_markdown(const std::vector<Instruction>& all, const std::filesystem::path& folder) {
  std::error_code refused;
  std::filesystem::create_directories(folder, refused);
  for (const Instruction& i : all) {
    std::ofstream file(folder / (i.mnemonic + ".md"), std::ios::binary);
    file << markdown(i);
    file.close();
    if (!file) return std::cerr << "ptox isa: cannot write " << (folder / (i.mnemonic + ".md")).string() << '\n', found;
  }
  std::cout << all.size() << " pages in " << folder.string() << '\n';
  return ok;
}

std::string lower_case(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

struct IsaOptions {
  bool markdown = false, json = false;
  std::string folder, instruction;
};

CommandLine command_line(IsaOptions& o) {
  return CommandLine(
             "ptox isa", "[INSTRUCTION]",
             "Prints operands, numbered rules and legality tables, of one instruction or of all: a tick where a "
             "target accepts the form, else the rule that refuses it.")
      .flag("--md", o.markdown, "write a Markdown page for each instruction")
      .text("--out", "FOLDER", o.folder, "where the pages of --md are written", "docs/isa")
      .flag("--json", o.json, "print the same as data")
      .word("INSTRUCTION", o.instruction, false)
      .note("Exit code 0: printed; 1: a page cannot be written; 2: usage.")
      .example("ptox isa mgather", "the rules and tables of MGATHER")
      .example("ptox isa --json", "all instructions as JSON");
}

std::string wrong_in(const IsaOptions& o) {
  if (o.markdown && o.json) return "--md and --json do not go together";
  return o.folder.empty() || o.markdown ? "" : "--out goes with --md";
}

std::string no_instruction(const std::string& name, const std::vector<Instruction>& all) {
  std::vector<std::string> names;
  for (const Instruction& i : all) names.push_back(i.mnemonic);
  std::string sentence = "there is no instruction '" + name + "'" + did_you_mean(name, names);
  if (!sentence.ends_with('?')) {
    sentence += "; there are";
    for (const std::string& n : names) sentence += " " + n;
  }
  return sentence;
}

int run(Arguments arguments) {
  IsaOptions o;
  const CommandLine line = command_line(o);
  if (const auto code = line.parse(arguments)) return *code;
  if (const std::string wrong = wrong_in(o); !wrong.empty()) return line.wrong(wrong);
  std::vector<Instruction> all = describe_all(), chosen;
  const std::string wanted = lower_case(o.instruction);
  for (const Instruction& i : all)
    if (wanted.empty() || i.mnemonic == wanted || i.mnemonic.starts_with(wanted + ".")) chosen.push_back(i);
  if (chosen.empty()) return line.wrong(no_instruction(wanted, all));
  if (o.json) return print_json(std::cout, chosen), ok;
  if (o.markdown) return write_markdown(chosen, o.folder.empty() ? "docs/isa" : o.folder);
  for (const Instruction& i : chosen) print_text(std::cout, i);
  return ok;
}

std::string help() {
  IsaOptions o;
  return command_line(o).help();
}

}  // namespace

const Verb isa_verb{"isa", "print what each target accepts, from the rules", help, run};

}  // namespace ptox::tool
