// SPDX-License-Identifier: Apache-2.0
#include "asm/text/forms.hpp"

#include <algorithm>
#include <cctype>

#include "pto/isa/all.hpp"

namespace ptox::assembly {

namespace {

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

template <class I>
Form form_of(int id) {
  Form f{I::mnemonic, I::mnemonic, {}, id};
  f.base = f.base.substr(0, f.base.find('.'));
  typename I::Operands none{};
  I::OperandList::each(none, [&]<class F, class D>(F, const D&) {
    f.operands.push_back({F::name, F::role, std::is_same_v<D, pto::instr::TileDesc>});
  });
  if constexpr (requires { none.policy; }) {
    f.takes_mask = std::is_same_v<decltype(none.policy), pto::MaskPattern>;
    f.takes_scalar = std::is_same_v<decltype(none.policy), pto::instr::Texpands::Scalar>;
  }
  return f;
}

/// The lower-case names of the first `count` values of an enum.
template <class E>
std::vector<std::string> names(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(lower(pto::instr::name(static_cast<E>(i))));
  return all;
}

std::vector<std::string> pipe_names() {
  std::vector<std::string> all;
  for (pipe_t p = 0; p < 8; ++p) all.push_back(std::string("PIPE_") + pto::instr::pipe_name(p));
  return all;
}
std::vector<std::string> event_names() {
  std::vector<std::string> all;
  for (int i = 0; i < 8; ++i) all.push_back("EVENT_ID" + std::to_string(i));
  return all;
}

}  // namespace

const std::vector<Form>& all_forms() {
  static const std::vector<Form> forms = [] {
    std::vector<Form> all;
    int id = 0;
    pto::instr::AllInstructions::each([&]<class I>() {
      Form f = form_of<I>(id++);
      if (!f.operands.empty()) all.push_back(std::move(f));
    });
    return all;
  }();
  return forms;
}

std::vector<const Form*> forms_of(std::string_view base) {
  std::vector<const Form*> some;
  for (const Form& f : all_forms())
    if (f.base == base) some.push_back(&f);
  return some;
}

const std::vector<PolicyKind>& policy_kinds() {
  static const std::vector<PolicyKind> kinds = {
      {"coalesce", "coalesce", names<pto::Coalesce>(2), true},
      {"gatherOob", "gather_oob", names<pto::GatherOOB>(4), false},
      {"scatterOob", "scatter_oob", names<pto::ScatterOOB>(4), false},
      {"scatterAtomicOp", "scatter_atomic_op", names<pto::ScatterAtomicOp>(4), false},
      {"scatterConflict", "scatter_conflict", names<pto::ScatterConflict>(2), true},
      {"gatherExec", "gather_exec", {"scalar", "simt"}, true},
      {"atomicType", "atomic_type", {"none", "add"}, false},
      {"maskPattern", "mask_pattern", {"", "P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"}, true},
      {"reduceOp", "reduce_op", {"sum", "max", "min"}, true},
      {"pipe", "pipe", pipe_names(), true},
      {"event", "event", event_names(), true},
      {"layout", "layout", {"nd", "dn", "nz"}, true},
      {"kind", "kernel_kind", {"vector", "cube"}, true},
      {"kind", "cache_line", {"SINGLE_CACHE_LINE", "ENTIRE_DATA_CACHE", "CACHELINE_OUT"}, true},
      {"kind", "mem_dsb", {"DSB_ALL", "DSB_DDR", "DSB_UB"}, true},
      {"op",
       "sync_op_type",
       {"TLOAD", "TSTORE_VEC", "TSTORE_MAT", "TSTORE_ACC", "TPREFETCH", "TMOV", "TMOV_V2V", "TEXPANDS", "TGATHER",
        "TGATHERB", "TSCATTER", "MGATHER", "MGATHER_VEC", "MGATHER_MAT", "MSCATTER", "MSCATTER_VEC", "VECTOR", "SCALAR",
        "TASSIGN"},
       true}};
  return kinds;
}

const PolicyKind* find_kind(std::string_view kind) {
  for (const PolicyKind& k : policy_kinds())
    if (kind == k.kind) return &k;
  return nullptr;
}

std::vector<const PolicyKind*> policies_of(std::string_view base) {
  const auto all = [](std::initializer_list<const char*> kinds) {
    std::vector<const PolicyKind*> some;
    for (const char* k : kinds) some.push_back(find_kind(k));
    return some;
  };
  if (base == "mgather") return all({"coalesce", "gather_oob", "gather_exec"});
  if (base == "mscatter") return all({"coalesce", "scatter_oob", "scatter_atomic_op", "scatter_conflict"});
  if (base == "tstore") return all({"atomic_type"});
  if (base == "treduce") return all({"reduce_op"});
  if (base == "tgather" || base == "tscatter") return all({"mask_pattern"});
  return {};
}

}  // namespace ptox::assembly
