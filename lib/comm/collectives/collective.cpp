// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/collective.hpp"

#include <string>

#include "loops/carry.hpp"
#include "pto/isa/all.hpp"

namespace ptox::comm {

using pto::DIM_3;

void Call::error(FindingKind kind, const Text& text) const {
  std::string message = mnemonic_;
  if (member_) message += " at rank " + std::to_string(member_->id()) + " of " + std::to_string(member_->size());
  message += std::string(": ") + text.c_str();
  Where where{{FindingField::instruction, mnemonic_}};
  if (member_) where.insert(where.end(), {{FindingField::rank, member_->id()}, {FindingField::failure, message}});
  core_.report({.kind = kind, .message = message, .where = std::move(where)}, site_);
  if (member_) member_->fail(kind, message);
}

Delivery::Delivery(const Call& call, const TensorDesc& block, int times)
    : call_(call),
      width_(block.shape[4]),
      of_rows_(pto::instr::checked_product(block.shape[0], block.shape[1], block.shape[2], block.shape[3], times)) {
  tell();
}

bool Delivery::tell() const {
  if (!call_.member()) return true;
  call_.member()->fabric().progress(call_.mnemonic(), rows_, of_rows_);
  return !call_.member()->fabric().failed();
}

bool Delivery::add(const Chunk& chunk) {
  if (chunk.whole || chunk.at[4] + chunk.cols == width_) rows_ += chunk.rows;
  if (tell()) return true;
  const Failure why = call_.member()->fabric().failure();
  call_.core().report(
      {.kind = FindingKind::comm_dead_rank,
       .message = std::string(call_.mnemonic()) + ": " + std::to_string(rows_) + " of " + std::to_string(of_rows_) +
                  " rows are delivered and the group has ended: " + why.sentence,
       .where = {{FindingField::instruction, call_.mnemonic()},
                 {FindingField::row, rows_},
                 {FindingField::capacity, of_rows_},
                 {FindingField::failure, why.sentence}}},
      call_.site());
  return false;
}

namespace {

/// Whether the root is in range and is the calling rank. Reports what is wrong.
bool by_root(const Call& call, const Tensors& group) {
  Member* member = call.member();
  Text s;
  if (group.root < 0 || group.root >= group.ranks)
    return call.error(FindingKind::comm_root, s << "root " << group.root << " of " << group.ranks << " ranks"), false;
  if (!member) return true;
  const int root = root_rank(*member, group);
  if (root == member->id()) return true;
  s << "only the root calls; the root is rank " << root << ", the caller rank " << member->id();
  return call.error(FindingKind::comm_nonroot, s), false;
}

bool all_live(const Call& call, const Tensors& group) {
  for (int r = 0; r < group.ranks && call.member(); ++r)
    if (!lives(call, group[r])) return false;
  return true;
}

/// Whether the tensors of all other ranks are in symmetric memory. Checked only where ranks are processes, so that any
/// other address is the caller's own, and only for groups of all ranks, where the owner of each tensor is known.
bool all_reached(const Call& call, const Tensors& group) {
  Member* member = call.member();
  if (!member || member->fabric().one_process() || group.ranks != member->size()) return true;
  for (int r = 0; r < group.ranks; ++r) {
    if (r == group.root || group[r].numel() == 0 || member->locate(group[r].base)) continue;
    Text s;
    s << "the tensor of rank " << r << " does not lie in symmetric memory, so it is the caller's own, not that rank's";
    return call.error(FindingKind::comm_source, s), false;
  }
  return true;
}

bool with_memory(const Call& call, const Tensors& group) {
  if (!group.array) return call.error(FindingKind::comm_shape, Text() << "group has no tensors"), false;
  for (int r = 0; r < group.ranks; ++r)
    if (!group[r].base && group[r].numel() != 0)
      return call.error(FindingKind::oob_gm, Text() << "the tensor of rank " << r << " has a null pointer"), false;
  return true;
}

bool of_one_shape(const Call& call, const Tensors& group) {
  const TensorDesc first = group[0];
  for (int r = 1; r < group.ranks; ++r) {
    const TensorDesc t = group[r];
    for (int d = 0; d < 5; ++d) {
      if (t.shape[d] == first.shape[d] && t.stride[d] == first.stride[d]) continue;
      Text s;
      s << "rank " << r << " has Shape[" << d << "] = " << t.shape[d] << ", Stride[" << d << "] = " << t.stride[d]
        << "; rank 0 has " << first.shape[d] << " and " << first.stride[d];
      return call.error(FindingKind::comm_shape, s), false;
    }
  }
  return true;
}

}  // namespace

int root_rank(const Member& member, const Tensors& group) {
  const std::optional<Place> place = group.array ? member.locate(group[group.root].base) : std::nullopt;
  return place ? place->rank : group.ranks == member.size() ? group.root : member.id();
}

bool lives(const Call& call, const TensorDesc& tensor) {
  Member* member = call.member();
  const std::optional<Place> place = member ? member->locate(tensor.base) : std::nullopt;
  if (!place || member->fabric().alive(place->rank)) return true;
  const std::string who = member->describe({place->rank});
  return call.error(FindingKind::comm_dead_rank, Text() << "a tensor lies at " << who.c_str()), false;
}

bool is_own(const Call& call, const TensorDesc& own, const char* name) {
  Text s;
  if (!own.base && own.numel() != 0) return call.error(FindingKind::oob_gm, s << name << " has a null pointer"), false;
  const std::optional<Place> place = call.member() ? call.member()->locate(own.base) : std::nullopt;
  if (!place || place->rank == call.member()->id()) return true;
  s << name << " lies at rank " << place->rank << ", the caller is rank " << call.member()->id()
    << ". It is in the caller's own memory";
  return call.error(FindingKind::comm_source, s), false;
}

bool staged_in_place(const Call& call, const Staging& staging) {
  const TileDesc& t = staging.tiles[0];
  Text s;
  if (t.loc != pto::TileType::Vec)
    return call.error(FindingKind::illegal, s << "data is staged in Vec tiles; the staging tile is in " << t.loc),
           false;
  if (t.valid_rows >= 1 && t.valid_cols >= 1 && t.valid_rows <= t.rows && t.valid_cols <= t.cols) return true;
  s << "the staging tile has " << t.valid_rows << "x" << t.valid_cols << " valid of " << t.rows << "x" << t.cols;
  return call.error(FindingKind::comm_shape, s), false;
}

bool group_goes_on(const Call& call) {
  if (!call.member() || !call.member()->fabric().failed()) return true;
  const std::string why = call.member()->fabric().failure().sentence;
  call.core().report({.kind = FindingKind::comm_dead_rank,
                      .message = std::string(call.mnemonic()) + " does nothing: the group has ended: " + why,
                      .where = {{FindingField::instruction, call.mnemonic()}, {FindingField::failure, why}}},
                     call.site());
  return false;
}

bool may_begin(const Call& call, const Tensors& group, const Staging& staging) {
  return group_goes_on(call) && by_root(call, group) && with_memory(call, group) && all_live(call, group) &&
         all_reached(call, group) && of_one_shape(call, group) && staged_in_place(call, staging);
}

bool agrees(const Call& call, const Tensors& group, const TensorDesc& own, const char* name, int factor) {
  if (!is_own(call, own, name)) return false;
  const TensorDesc first = group[0];
  Text s;
  for (int d = 0; d < 5; ++d) {
    const int times = d == DIM_3 ? factor : 1;
    const std::int64_t need = pto::instr::checked_product(first.shape[d], times), have = own.shape[d];
    if (need < 0)
      return call.error(FindingKind::comm_shape, s << "Shape[" << d << "] = " << first.shape[d] << " at " << group.ranks
                                                   << " ranks is negative or past 63 bits"),
             false;
    if (d == DIM_3 ? have >= need : have == need) continue;
    return call.error(FindingKind::comm_shape,
                      s << name << " has Shape[" << d << "] = " << have << ", the ranks take " << need),
           false;
  }
  return true;
}

bool fits(const Staging& staging, const TensorDesc& block) {
  const std::int64_t* n = block.shape;
  const std::int64_t rows = pto::instr::checked_product(n[0], n[1], n[2], n[3]);
  return rows <= staging.tiles[0].valid_rows && n[4] <= staging.tiles[0].valid_cols;
}

Steps by_tile(const Core& core, const Staging& staging, const TensorDesc& block) {
  const bool one_outer = block.shape[0] * block.shape[1] * block.shape[2] == 1;
  const bool whole = fits(staging, block) && !one_outer && block.layout == pto::Layout::ND && !core.target().native;
  return {staging.tiles[0].valid_rows, staging.tiles[0].valid_cols, whole};
}

bool carries(const Call& call, const Staging& staging, const TensorDesc& block) {
  if (fits(staging, block)) return true;
  const auto cuts = [&](const char* what, std::int64_t extent, std::int64_t step, bool shrinks) {
    if (shrinks || extent % step == 0) return true;
    Text s;
    s << "each rank has " << extent << " " << what << ", the staging tile has static " << step
      << ". Use a dynamic valid extent";
    return call.error(FindingKind::comm_divisible, s), false;
  };
  const TileDesc& t = staging.tiles[0];
  return cuts("rows", block.shape[3], t.valid_rows, staging.rows_shrink) &&
         cuts("columns", block.shape[4], t.valid_cols, staging.cols_shrink);
}

TensorDesc chunk_of(const TensorDesc& tensor, const Chunk& chunk, std::int64_t first_row) {
  TensorDesc t = tensor;
  std::uint64_t offset = static_cast<std::uint64_t>(first_row) * static_cast<std::uint64_t>(tensor.stride[3]);
  for (int d = 0; d < 5; ++d)  // unsigned arithmetic: overflow is reported when the chunk is used
    offset += static_cast<std::uint64_t>(chunk.at[d]) * static_cast<std::uint64_t>(tensor.stride[d]);
  const auto bytes = offset * static_cast<std::uint64_t>(pto::instr::size_of(t.dtype));
  t.base = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(t.base) + bytes);
  if (chunk.whole) return t;
  t.shape[0] = t.shape[1] = t.shape[2] = 1, t.shape[3] = chunk.rows, t.shape[4] = chunk.cols;
  return t;
}

Conveyor::Conveyor(const Call& call, const Staging& staging, std::int64_t bytes)
    : call_(call), staging_(staging), machine_(!call.core().target().native) {
  if (call.core().bare()) streams_ = call.core().stores().streams_all(bytes);
  if (!machine_) return;
  for (int i = 0; i < 2; ++i) {
    loaded_[i] = pto::instr::detail::free_id(PIPE_MTE2, PIPE_MTE3, i ? (loaded_[0] + 1) % 8 : 0);
    free_[i] = pto::instr::detail::free_id(PIPE_MTE3, PIPE_MTE2, i ? (free_[0] + 1) % 8 : 0);
  }
}

Conveyor::~Conveyor() {
  for (int i = 0; i < 2; ++i)
    if (busy_[i]) wait_flag(PIPE_MTE3, PIPE_MTE2, free_[i], call_.site());
}

TileDesc Conveyor::load(const TensorDesc& from, std::int64_t rows, std::int64_t cols) {
  TileDesc tile = staging_.tiles[next_];
  tile.valid_rows = rows, tile.valid_cols = cols;
  if (busy_[next_]) wait_flag(PIPE_MTE3, PIPE_MTE2, free_[next_], call_.site());
  pto::instr::issue<pto::instr::Tload>({tile, from, {}}, pto::instr::detail::everywhere, true, call_.site());
  if (!machine_) return tile;
  set_flag(PIPE_MTE2, PIPE_MTE3, loaded_[next_], call_.site());
  wait_flag(PIPE_MTE2, PIPE_MTE3, loaded_[next_], call_.site());
  return tile;
}

void Conveyor::store(const TensorDesc& to, const TileDesc& tile, pto::AtomicType atomic) {
  pto::instr::issue<pto::instr::Tstore>({to, tile, {atomic}}, pto::instr::detail::everywhere, true, call_.site());
}

void Conveyor::stored() {
  if (machine_) set_flag(PIPE_MTE3, PIPE_MTE2, free_[next_], call_.site()), busy_[next_] = true;
  next_ = (next_ + 1) % staging_.count;
}

bool Conveyor::carries(const TensorDesc& from, const TensorDesc& to) const {
  const TileDesc& tile = staging_.tiles[0];
  const bool plain = pto::instr::plain_rows(tile) && pto::instr::plain_rows(from) && pto::instr::plain_rows(to) &&
                     from.dtype == to.dtype;
  return call_.core().bare() && plain && call_.core().space(tile.loc).holds(tile.offset, tile.bytes());
}

Steps Conveyor::steps(const TensorDesc& from, const TensorDesc& to) const {
  constexpr std::int64_t enough = 1 << 20;
  if (!carries(from, to)) return by_tile(call_.core(), staging_, to);
  const std::int64_t row_bytes = std::max<std::int64_t>(1, to.shape[4] * pto::instr::size_of(to.dtype));
  return {std::max<std::int64_t>(1, enough / row_bytes), std::max<std::int64_t>(1, to.shape[4])};
}

void Conveyor::move(const TensorDesc& from, const TensorDesc& to, std::int64_t rows, std::int64_t cols,
                    pto::AtomicType atomic) {
  if (atomic == pto::AtomicType::AtomicNone && carries(from, to)) {
    const TileDesc& tile = staging_.tiles[0];
    const std::int64_t size = pto::instr::size_of(to.dtype);
    const auto rows_of = [&](const TensorDesc& t) {
      return Rows2D{static_cast<std::byte*>(t.base), t.stride[3] * size};
    };
    return carry(call_.core().space(tile.loc).base() + tile.offset, tile.bytes(), rows_of(from), rows_of(to), rows,
                 cols * size, streams_);
  }
  store(to, load(from, rows, cols), atomic);
  stored();
}

}  // namespace ptox::comm
