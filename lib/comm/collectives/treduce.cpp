// SPDX-License-Identifier: Apache-2.0
#include "pto/comm/treduce.hpp"

#include "comm/collectives/collective.hpp"

namespace ptox::comm {

namespace {

/// Reduces one chunk of every rank: the first is loaded into acc, the others are loaded into the receiving tiles and
/// combined into acc, and acc is stored to dst. Loads overlap the combining.
class Reducer {
 public:
  Reducer(const Call& call, const TileDesc& acc, const Staging& recv, pto::comm::ReduceOp op)
      : call_(call), acc_(acc), recv_(recv), op_(op), machine_(!call.core().target().native) {
    if (!machine_) return;
    for (int i = 0; i < 2; ++i) {
      received_[i] = free_after(PIPE_MTE2, PIPE_V, i, received_[0]);
      combined_[i] = free_after(PIPE_V, PIPE_MTE2, i, combined_[0]);
    }
    done_ = pto::instr::detail::free_id(PIPE_V, PIPE_MTE3, 0);
    stored_ = pto::instr::detail::free_id(PIPE_MTE3, PIPE_MTE2, 0);
  }
  ~Reducer() {
    for (int i = 0; i < 2; ++i) wait_if(busy_[i], PIPE_V, PIPE_MTE2, combined_[i]);
    wait_if(acc_busy_, PIPE_MTE3, PIPE_MTE2, stored_);
  }
  Reducer(const Reducer&) = delete;

  void first(const TensorDesc& from, std::int64_t rows, std::int64_t cols) {
    acc_.valid_rows = rows, acc_.valid_cols = cols;
    wait_if(acc_busy_, PIPE_MTE3, PIPE_MTE2, stored_);
    load(acc_, from);
    pair(PIPE_MTE2, PIPE_V, received_[0]);
  }
  void next(const TensorDesc& from) {
    TileDesc tile = recv_.tiles[at_];
    tile.valid_rows = acc_.valid_rows, tile.valid_cols = acc_.valid_cols;
    wait_if(busy_[at_], PIPE_V, PIPE_MTE2, combined_[at_]);
    load(tile, from);
    pair(PIPE_MTE2, PIPE_V, received_[at_]);
    pto::instr::issue<pto::instr::Treduce>({acc_, tile, {op_}}, pto::instr::detail::everywhere, true, call_.site());
    if (machine_) set_flag(PIPE_V, PIPE_MTE2, combined_[at_], call_.site()), busy_[at_] = true;
    at_ = (at_ + 1) % recv_.count;
  }
  void store(const TensorDesc& to) {
    pair(PIPE_V, PIPE_MTE3, done_);
    pto::instr::issue<pto::instr::Tstore>({to, acc_, {}}, pto::instr::detail::everywhere, true, call_.site());
    if (machine_) set_flag(PIPE_MTE3, PIPE_MTE2, stored_, call_.site()), acc_busy_ = true;
  }

 private:
  static event_t free_after(pipe_t src, pipe_t dst, int i, event_t first) {
    return pto::instr::detail::free_id(src, dst, i ? (first + 1) % 8 : 0);
  }
  void load(const TileDesc& tile, const TensorDesc& from) {
    pto::instr::issue<pto::instr::Tload>({tile, from, {}}, pto::instr::detail::everywhere, true, call_.site());
  }
  void pair(pipe_t src, pipe_t dst, event_t id) {
    if (machine_) set_flag(src, dst, id, call_.site()), wait_flag(src, dst, id, call_.site());
  }
  void wait_if(bool& busy, pipe_t src, pipe_t dst, event_t id) {
    if (busy) wait_flag(src, dst, id, call_.site());
    busy = false;
  }

  const Call& call_;
  TileDesc acc_;
  const Staging& recv_;
  pto::comm::ReduceOp op_;
  bool machine_, acc_busy_ = false, busy_[2] = {};
  int at_ = 0;
  event_t received_[2] = {}, combined_[2] = {}, done_ = 0, stored_ = 0;
};

}  // namespace

}  // namespace ptox::comm

void pto::comm::detail::reduce(const Tensors& group, const instr::TensorDesc& dst, const instr::TileDesc& acc,
                               const Staging& recv, ReduceOp op, instr::Site site) {
  using namespace ptox::comm;
  if (group.ranks == 0) return;
  const Call call("treduce", site);
  Staging first = recv;
  first.tiles[0] = acc;
  if (!may_begin(call, group, first) || !agrees(call, group, dst, "dst", 1)) return;
  const instr::TensorDesc block = group[0];
  if (!carries(call, first, block)) return;
  const instr::TensorDesc part = with_rows(dst, block.shape[3]);
  Reducer reducer(call, acc, recv, op);
  Delivery delivery(call, block, 1);
  each_chunk(block, by_tile(call.core(), first, block), [&](const Chunk& c) {
    reducer.first(chunk_of(block, c), c.rows, c.cols);
    for (int rank = 1; rank < group.ranks; ++rank) reducer.next(chunk_of(group[rank], c));
    reducer.store(chunk_of(part, c));
    return delivery.add(c);
  });
}
