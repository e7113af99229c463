// SPDX-License-Identifier: Apache-2.0
#include "comm/sharded/agreement.hpp"

#include <algorithm>
#include <cstring>

#include "pto/isa/policy.hpp"

namespace ptox::comm {

namespace {

std::string text(std::int64_t n) { return std::to_string(n); }

std::string table_of(const Terms& t) {
  return "a table of " + text(t.rows) + " rows of " + text(t.width) + " elements of " + text(t.element_bytes) +
         " bytes";
}

std::string call_of(const Terms& t) {
  using namespace pto;
  std::string out = t.name();
  if (!t.scatters) return out + " with oob " + instr::name(static_cast<GatherOOB>(t.oob));
  return out + " with op " + instr::name(static_cast<ScatterAtomicOp>(t.op)) + ", oob " +
         instr::name(static_cast<ScatterOOB>(t.oob)) + ", conflict " +
         instr::name(static_cast<ScatterConflict>(t.conflict)) + ", elements of " +
         instr::name(static_cast<instr::DType>(t.dtype));
}

bool same_table(const Terms& a, const Terms& b) {
  return a.rows == b.rows && a.width == b.width && a.element_bytes == b.element_bytes;
}
bool same_call(const Terms& a, const Terms& b) {
  return a.scatters == b.scatters && a.by_row == b.by_row && a.op == b.op && a.oob == b.oob &&
         a.conflict == b.conflict && a.dtype == b.dtype;
}

}  // namespace

const char* Terms::name() const {
  if (scatters) return by_row ? "scatter_rows" : "scatter";
  return by_row ? "gather_rows" : "gather";
}

std::size_t Agreement::place(int rank) const {
  const std::int64_t half = calls_ % 2 * member_.size();
  return notices_ + static_cast<std::size_t>(half + rank) * sizeof(Notice);
}

const Notice& Agreement::heard(int rank) const {
  return *reinterpret_cast<const Notice*>(member_.fabric().address(member_.id(), place(rank)));
}

std::int64_t Agreement::most() const {
  std::int64_t most = 0;
  for (int r = 0; r < member_.size(); ++r) most = std::max(most, heard(r).most);
  return most;
}

void Agreement::tell(int rank, const Notice& notice) {
  const std::size_t used = offsetof(Notice, sentence) + (notice.complaint ? sizeof notice.sentence : 0);
  const auto bytes = static_cast<std::int64_t>(used);
  member_.fabric().put({rank, place(member_.id())}, reinterpret_cast<const std::byte*>(&notice),
                       {1, bytes, bytes, bytes});
}

void Agreement::reach(const Terms& terms, const Complaint& complaint, std::span<const std::int64_t> counts) {
  ++calls_;
  Notice notice{.call = calls_, .terms = terms, .complaint = complaint.kind};
  notice.most = *std::max_element(counts.begin(), counts.end());
  complaint.sentence.copy(notice.sentence, sizeof notice.sentence - 1);
  for (int i = 0; i < member_.size(); ++i) {
    const int rank = (member_.id() + i) % member_.size();
    notice.count = counts[static_cast<std::size_t>(rank)];
    tell(rank, notice);
  }
  member_.barrier(terms.name());
  for (int r = 0; r < member_.size(); ++r)
    if (heard(r).call != calls_) {
      member_.fabric().fail({FindingKind::comm_shape,
                             std::string(terms.name()) + ": rank " + text(member_.id()) + " is in call " +
                                 text(calls_) + " on a table, " + member_.describe({r}) +
                                 " is elsewhere. All ranks make the same calls on it, in the same order",
                             {member_.id(), r}});
      member_.go_on();
    }
  for (int r = 0; r < member_.size(); ++r) {
    if (heard(r).complaint == Complaint::invalid_argument) throw std::invalid_argument(heard(r).sentence);
    if (heard(r).complaint == Complaint::out_of_range) throw std::out_of_range(heard(r).sentence);
  }
  for (int r = 1; r < member_.size(); ++r) compare(r);
}

void Agreement::compare(int rank) const {
  const Terms &first = heard(0).terms, &other = heard(rank).terms;
  const bool one_table = same_table(first, other);
  if (one_table && same_call(first, other)) return;
  const auto words = one_table ? call_of : table_of;
  throw std::invalid_argument(std::string(first.name()) + ": rank 0 has " + words(first) + ", rank " + text(rank) +
                              " has " + words(other) + ". All ranks make the same call");
}

}  // namespace ptox::comm
