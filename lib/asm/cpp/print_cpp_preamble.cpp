// SPDX-License-Identifier: Apache-2.0
// Prints the includes and helper functions at the start of the C++ source.
#include "asm/cpp/print_cpp.hpp"
#include "llvm/Support/Path.h"

namespace ptox::assembly::cpp {

namespace {

struct Helper {
  const char *name, *text;
};

// Integer arithmetic wraps around. It is done in uint64_t, because narrower types would be promoted to signed int,
// whose overflow is undefined.
constexpr Helper helpers[] = {
    {"wrap_add",
     "T wrap_add(T a, T b) {\n  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));\n}"},
    {"wrap_sub",
     "T wrap_sub(T a, T b) {\n  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));\n}"},
    {"wrap_mul",
     "T wrap_mul(T a, T b) {\n  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));\n}"},
    {"shift_left", "T shift_left(T a, T b) {\n  return static_cast<T>(static_cast<uint64_t>(a) << b);\n}"},
    {"shift_right", "T shift_right(T a, T b) {\n  return static_cast<T>(a >> b);\n}"},
    {"shift_right_u",
     "T shift_right_u(T a, T b) {\n  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) >> b);\n}"},
    {"quotient",
     "T quotient(T a, T b) {\n  if (b == 0) return 0;\n"
     "  return b == static_cast<T>(-1) && b < 0 ? static_cast<T>(-static_cast<uint64_t>(a)) : static_cast<T>(a / "
     "b);\n}"},
    {"remainder",
     "T remainder(T a, T b) {\n  return b == 0 || (b == static_cast<T>(-1) && b < 0) ? T{0} : static_cast<T>(a % "
     "b);\n}"},
    {"ceil_div",
     "T ceil_div(T a, T b) {\n  if (b == 0) return 0;\n"
     "  if (b == -1) return static_cast<T>(-static_cast<uint64_t>(a));\n"
     "  return static_cast<T>(a / b + (a % b != 0 && (a < 0) == (b < 0)));\n}"},
    {"floor_div",
     "T floor_div(T a, T b) {\n  if (b == 0) return 0;\n"
     "  if (b == -1) return static_cast<T>(-static_cast<uint64_t>(a));\n"
     "  return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));\n}"},
    {"ceil_div_u",
     "T ceil_div_u(T a, T b) {\n  using U = std::make_unsigned_t<T>;\n  if (a == 0 || b == 0) return 0;\n"
     "  return static_cast<T>((static_cast<U>(a) - 1) / static_cast<U>(b) + 1);\n}"},
    {"maximum",
     "T maximum(T a, T b) {\n  if (a != a || b != b) return a != a ? a : b;\n"
     "  return a == b ? (std::signbit(static_cast<float>(a)) ? b : a) : a < b ? b : a;\n}"},
    {"minimum",
     "T minimum(T a, T b) {\n  if (a != a || b != b) return a != a ? a : b;\n"
     "  return a == b ? (std::signbit(static_cast<float>(a)) ? a : b) : b < a ? b : a;\n}"}};

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

/// The name of the file without control characters and backslashes, for use in a comment.
std::string title(const std::string& file) {
  std::string name = llvm::sys::path::filename(file).str();
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == '\\') c = '?';
  return name.empty() ? "a module" : name;
}

}  // namespace

std::string preamble(const std::string& file, const std::string& text) {
  std::string functions;
  for (const Helper& h : helpers)
    if (has(text, std::string(h.name) + "<"))
      functions += "template <class T>\nAICORE inline " + std::string(h.text) + "\n";
  std::string out = "// " + title(file) + " as C++, printed by ptox emit.\n#include <pto/pto-inst.hpp>\n\n";
  const std::pair<const char*, bool> headers[] = {
      {"bit", has(text, "std::bit_cast")},
      {"cmath", has(text + functions, "std::f") || has(functions, "signbit")},
      {"cstdint", true},
      {"tuple", has(text, "std::tuple")},
      {"type_traits", has(functions, "make_unsigned")}};
  for (const auto& [name, needed] : headers)
    if (needed) out += "#include <" + std::string(name) + ">\n";
  out += "\nusing namespace pto;\n";
  if (!functions.empty())
    out += "\nnamespace {\n\n// As the file's operations compute: integers wrap around.\n" + functions +
           "\n}  // namespace\n";
  return out;
}

}  // namespace ptox::assembly::cpp
