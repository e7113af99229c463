// SPDX-License-Identifier: Apache-2.0
// Which operands does each target accept? The legality tables, printed from the rules.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pto/isa/all.hpp"
#include "ptox/target.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

/// One line of a legality table: for each target the rule that refuses it, empty when accepted.
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

/// C2 before C10.
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

void print_json(std::ostream& out, const std::vector<Instruction>& all) {
  out << "[";
  const char* comma = "\n";
  for (const Instruction& i : all) {
    out << comma << " {\"mnemonic\": \"" << i.mnemonic << "\", \"operands\": [";
    const char* c = "";
    for (const OperandText& o : i.operands)
      out << c << "{\"name\": \"" << o.name << "\", \"role\": \"" << o.role << "\"}", c = ", ";
    out << "],\n  \"rules\": [";
    c = "";
    for (const RuleText& r : i.rules)
      out << c << "\n   {\"code\": \"" << r.code << "\", \"sentence\": \"" << r.sentence << "\"}", c = ",";
    out << "],\n  \"tables\": [";
    c = "";
    for (const Table& t : i.tables)
      for (const Row& row : t.rows) {
        out << c << "\n   {\"table\": \"" << t.title << "\", \"case\": \"" << row.label << "\"";
        for (std::size_t k = 0; k < row.refused_by.size(); ++k)
          out << ", \"" << target::all[k]->name << "\": \"" << (row.refused_by[k].empty() ? "ok" : row.refused_by[k])
              << '"';
        out << "}";
        c = ",";
      }
    out << "]}";
    comma = ",\n";
  }
  out << "\n]\n";
}

/// One page an instruction, named after it.
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

int run(Arguments arguments) {
  std::string form, folder = "docs/isa", wanted;
  bool out_given = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    if (a == "--md" || a == "--json") {
      if (!form.empty() && form != a) return usage_error(isa_verb, "--md and --json do not go together");
      form = a;
    } else if (a == "--out") {
      if (i + 1 == arguments.size()) return usage_error(isa_verb, "--out wants a folder");
      folder = arguments[++i];
      out_given = true;
    } else if (a.starts_with("-"))
      return usage_error(isa_verb, "there is no option '" + a + "'");
    else if (a.empty())
      return usage_error(isa_verb, "an instruction has a name; it is empty");
    else if (wanted.empty())
      wanted = lower_case(a);
    else
      return usage_error(isa_verb, "one instruction at a time; '" + wanted + "' and '" + a + "' were given");
  }
  if (out_given && form != "--md") return usage_error(isa_verb, "--out goes with --md");
  std::vector<Instruction> all = describe_all();
  if (!wanted.empty()) {
    std::string names;
    for (const Instruction& i : all) names += " " + i.mnemonic;
    std::erase_if(all,
                  [&](const Instruction& i) { return i.mnemonic != wanted && !i.mnemonic.starts_with(wanted + "."); });
    if (all.empty()) return usage_error(isa_verb, "there is no instruction '" + wanted + "'; there are" + names);
  }
  if (form == "--json") return print_json(std::cout, all), ok;
  if (form == "--md") return write_markdown(all, folder);
  for (const Instruction& i : all) print_text(std::cout, i);
  return ok;
}

}  // namespace

const Verb isa_verb{
    "isa", "print what each target accepts, from the rules",
    "usage: ptox isa [--md [--out FOLDER] | --json] [INSTRUCTION]\n\n"
    "Prints operands, numbered rules and legality tables: a tick where a target accepts the form, else\n"
    "the rule that refuses it. --md writes a page an instruction to FOLDER (docs/isa), --json prints data.\n",
    run};

}  // namespace ptox::tool
