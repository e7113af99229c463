// SPDX-License-Identifier: Apache-2.0
#include "asm/cpp/print_cpp_names.hpp"

#include <algorithm>
#include <cctype>

namespace ptox::assembly::cpp {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

const std::set<std::string, std::less<>>& reserved() {
  static const std::set<std::string, std::less<>> words{
      // Keywords and names with a meaning in the language.
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "main", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return",
      "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // Macros of the compilers and of the C library.
      "assert", "errno", "i386", "linux", "offsetof", "stderr", "stdin", "stdout", "unix",
      // Names that the printed code uses.
      "std", "pto", "comm", "half", "bfloat16_t", "float8_e4m3_t", "float8_e5m2_t", "hifloat8_t", "int8_t", "int16_t",
      "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "set_flag", "wait_flag", "pipe_barrier",
      "dcci", "dsb", "get_block_idx", "get_block_num", "instr", "Tile", "TileType", "BLayout", "SLayout", "PadValue",
      "GlobalTensor", "Shape", "Stride", "Layout", "Coalesce", "GatherOOB", "GatherExec", "ScatterOOB",
      "ScatterAtomicOp", "ScatterConflict", "AtomicType", "MaskPattern", "Event", "RecordEvent", "Op", "wrap_add",
      "wrap_sub", "wrap_mul", "shift_left", "shift_right", "shift_right_u", "ceil_div", "ceil_div_u", "floor_div",
      "maximum", "minimum"};
  return words;
}

/// Whether a name looks like a macro or an instruction (PIPE_V, AICORE, TLOAD). Single letters are allowed.
bool shouts(const std::string& name) {
  return name.size() > 1 && std::none_of(name.begin(), name.end(), is_lower) && !is_digit(name[1]);
}

std::string identifier(std::string_view wanted, std::string_view otherwise) {
  std::string name;
  for (const char c : wanted) {
    const char next = is_word(c) ? c : '_';
    if (next != '_' || (!name.empty() && name.back() != '_')) name += next;  // a leading or double _ is reserved
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = otherwise;
  return is_digit(name.front()) ? "v" + name : name;
}

}  // namespace

std::string Names::take(std::string_view wanted, std::string_view otherwise) {
  const std::string plain = identifier(wanted, otherwise);
  std::string name = reserved().contains(plain) || shouts(plain) ? plain + "_" : plain;
  const std::string stem = is_digit(name.back()) ? name + "_" : name;
  for (int n = 2; !taken_.insert(name).second; ++n) name = stem + std::to_string(n);
  return name;
}

}  // namespace ptox::assembly::cpp
