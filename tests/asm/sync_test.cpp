// SPDX-License-Identifier: Apache-2.0
// Inserted flags are sufficient and minimal.
#include "sync_kernel.hpp"

namespace ptox::assembly {
namespace {

const Target* const machines[] = {&target::a2a3, &target::a5};

/// The number of pairs inserted for each machine model. Without `cleans`, redundant cleans are accepted: the text does
/// not determine which rows a scatter writes.
std::vector<int> judge(const std::string& body, bool cleans = true) {
  std::vector<int> pairs;
  for (const Target* t : machines) {
    const auto module = synced(kernel(body), *t);
    if (!module) return {};
    expect_in_order(*module, *t);
    pairs.push_back(expect_needed(*module, *t, cleans));
  }
  return pairs;
}

std::string loop(const std::string& body, const std::string& variable = "%i", const std::string& to = "%c4") {
  return "  scf.for " + variable + " = %c0 to " + to + " step %c1 {\n" + body + "  }\n";
}

const std::string lookup = load_index("%n") + gather("%d", "%t0", "%n") + store("%d", "%o0");
const std::string lookup_tiles = alloc("%n", index) + alloc("%d", rows);

TEST(insert_sync, orders_a_lookup) {
  // a2a3: a flag from MTE2 to S for the indices; the instruction sets all others itself. a5: from MTE2 to V and from V
  // to MTE3.
  EXPECT_EQ(judge(lookup_tiles + lookup), (std::vector{1, 2}));
}
TEST(insert_sync, orders_a_loop_of_lookups) { EXPECT_EQ(judge(lookup_tiles + loop(lookup)), (std::vector{1, 4})); }
TEST(insert_sync, orders_ping_pong) {
  judge(lookup_tiles + alloc("%m", index) + alloc("%e", rows) +
        loop(lookup + load_index("%m") + gather("%e", "%t1", "%m") + store("%e", "%o1")));
}
TEST(insert_sync, orders_a_scatter_and_a_load_of_the_same_table) {
  judge(lookup_tiles + load_index("%n") + load("%d", "%t0") + scatter("%d", "%o0", "%n") + alloc("%e", rows) +
        load("%e", "%o0") + store("%e", "%o1"));
}
TEST(insert_sync, leaves_what_different_blocks_do_alone) {
  // One pair for each load and its store. The second tile reuses the bytes of the first, so its load also waits for the
  // store of the first.
  EXPECT_EQ(judge(alloc("%d", rows) + alloc("%e", rows) + load("%d", "%t0") + store("%d", "%t1") + load("%e", "%t2") +
                  store("%e", "%o0")),
            (std::vector{3, 3}));
}
TEST(insert_sync, orders_a_branch_in_a_loop) {
  judge(lookup_tiles + load_index("%n") + load("%d", "%t0") +
        loop("  %s = arith.index_cast %i : index to i64\n  %h = arith.shrui %p0, %s : i64\n"
             "  %b = arith.andi %h, %one : i64\n  %q = arith.cmpi eq, %b, %one : i64\n  scf.if %q {\n" +
                 gather("%d", "%t1", "%n") + "  } else {\n" + load("%d", "%t2") + "  }\n" + store("%d", "%o0"),
             "%i", "%c8"));
}
TEST(insert_sync, orders_tiles_that_share_bytes) {
  std::string body;
  for (int k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k);
    body += alloc("%d" + n, rows) + load("%d" + n, "%t" + n) + store("%d" + n, "%o" + n);
  }
  EXPECT_EQ(judge(body), (std::vector{5, 5}));
}
TEST(insert_sync, orders_a_chain_on_the_vector_pipe) {
  EXPECT_EQ(judge(alloc("%a", rows) + alloc("%b", rows) + alloc("%c", rows) + load("%a", "%t0") + move("%b", "%a") +
                  move("%c", "%b") + store("%c", "%o0")),
            (std::vector{2, 2}));
}
TEST(insert_sync, orders_elements) {
  judge(alloc("%n", cell_index) + alloc("%d", cells) + alloc("%e", cells) + load_cell_index("%n") +
        gather_cells("%d", "%te", "%n") + tile_gather("%e", "%d", "%n") + scatter_cells("%e", "%oe", "%n") +
        alloc("%f", rows) + load("%f", "%o0") + store("%f", "%o1"));
}
TEST(insert_sync, sees_that_iterations_keep_apart_in_global_memory) {
  const std::string part =
      "  %r = arith.muli %i, %c8 : index\n"
      "  %w = pto.partition_view %tv, offsets = [%r, 0], sizes = [8, 32] : "
      "!pto.tensor_view<24x32xf32> -> !pto.partition_tensor_view<8x32xf32>\n";
  // One pair for the load before the store, one for the reuse of the tile in the next iteration, none for the table.
  EXPECT_EQ(judge(alloc("%d", rows) + "  %three = arith.constant 3 : index\n" +
                  loop(part + load("%d", "%w") + store("%d", "%w"), "%i", "%three")),
            (std::vector{2, 2}));
}

std::string flag(const std::string& what, const std::string& src, const std::string& dst, int id) {
  return "  pto." + what + "_flag[#pto.pipe<PIPE_" + src + ">, #pto.pipe<PIPE_" + dst + ">, #pto.event<EVENT_ID" +
         std::to_string(id) + ">]\n";
}
/// The event ids of the sets in a kernel, in order.
std::vector<int> ids(Module& module) {
  std::vector<int> all;
  for (mlir::Operation* op : inserted(*module.op)) all.push_back(op->getAttrOfType<PtoAttr>("event").index());
  return all;
}

TEST(insert_sync, adds_nothing_to_flags_that_are_enough) {
  const std::string body = alloc("%d", rows) + load("%d", "%t0") + flag("set", "MTE2", "MTE3", 3) +
                           flag("wait", "MTE2", "MTE3", 3) + store("%d", "%o0");
  for (const Target* t : machines) EXPECT_EQ(ids(*synced(kernel(body), *t)), std::vector{3});
}
TEST(insert_sync, leaves_ids_alone_that_the_kernel_uses) {
  const std::string body = alloc("%d", rows) + flag("set", "MTE2", "MTE3", 1) + load("%d", "%t0") + store("%d", "%o0") +
                           flag("wait", "MTE2", "MTE3", 1);
  for (const Target* t : machines) {
    const auto module = synced(kernel(body), *t);
    EXPECT_EQ(ids(*module), (std::vector{1, 2}));
    expect_in_order(*module, *t);
  }
}
TEST(insert_sync, is_content_with_a_barrier) {
  const std::string body =
      alloc("%d", rows) + load("%d", "%t0") + "  pto.barrier #pto.pipe<PIPE_ALL>\n" + store("%d", "%o0");
  for (const Target* t : machines) EXPECT_TRUE(ids(*synced(kernel(body), *t)).empty());
}
TEST(insert_sync, keeps_to_eight_ids) {
  std::string body;
  for (int k = 0; k < 12; ++k) body += alloc("%d" + std::to_string(k), rows) + load("%d" + std::to_string(k), "%t0");
  for (int k = 0; k < 12; ++k) body += store("%d" + std::to_string(k), "%o0");
  // Eight ids are in use at once; a ninth pair is set after the first wait and covers the remaining stores.
  EXPECT_EQ(judge(body), (std::vector{9, 9}));
}
TEST(insert_sync, takes_a_barrier_where_no_id_is_left) {
  std::string body;
  for (int id = 0; id < 8; ++id) body += flag("set", "MTE2", "MTE3", id);
  body += alloc("%d", rows) + load("%d", "%t0") + store("%d", "%o0");
  for (int id = 0; id < 8; ++id) body += flag("wait", "MTE2", "MTE3", id);
  for (const Target* t : machines) {
    const auto module = synced(kernel(body), *t);
    EXPECT_NE(to_mlir(*module).find("pto.barrier"), std::string::npos);
    expect_in_order(*module, *t);
  }
}
TEST(insert_sync, orders_tiles_at_places_that_only_a_run_knows) {
  const std::string place =
      "  %s = arith.index_cast %i : index to i64\n  %h = arith.andi %s, %one : i64\n"
      "  %k = arith.constant 4096 : i64\n  %at = arith.muli %h, %k : i64\n"
      "  %d = pto.alloc_tile addr = %at : " +
      std::string(rows) + "\n";
  for (const Target* t : machines) {
    const auto module = synced(kernel(loop(place + load("%d", "%t0") + store("%d", "%o0"))), *t);
    ASSERT_TRUE(module);
    expect_in_order(*module, *t);
    EXPECT_EQ(expect_needed(*module, *t, true), 2);
  }
}
TEST(insert_sync, follows_tiles_through_branches_and_loops) {
  const std::string t = rows;
  judge(alloc("%a", rows) + alloc("%b", rows) + load("%a", "%t0") + load("%b", "%t1") +
        "  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %a, %v = %b) -> (" + t + ", " + t + ") {\n" +
        store("%u", "%o0") + load("%u", "%t2") + "  scf.yield %v, %u : " + t + ", " + t + "\n  }\n" +
        store("%r#0", "%o1"));
}
TEST(insert_sync, does_nothing_on_the_host) {
  Diagnostics said;
  const auto module = read(kernel(lookup_tiles + lookup), "k.pto", TextForm::mlir, said);
  const std::string before = to_mlir(*module);
  EXPECT_TRUE(insert_sync(*module, target::cpu, said));
  EXPECT_EQ(to_mlir(*module), before);
}
TEST(insert_sync, puts_barriers_around_a_call) {
  Diagnostics said;
  const auto module = read("func.func @g() {\n  return\n}\nfunc.func @f() {\n  call @g() : () -> ()\n  return\n}\n",
                           "k.pto", TextForm::mlir, said);
  ASSERT_TRUE(module && insert_sync(*module, target::a5, said)) << text(said);
  const std::string after = to_mlir(*module);
  const std::size_t first = after.find("pto.barrier"), call = after.find("call @g");
  EXPECT_LT(first, call) << after;
  EXPECT_NE(after.find("pto.barrier", call), std::string::npos) << after;
}
TEST(insert_sync, refuses_what_it_cannot_follow) {
  Diagnostics said;
  const auto module = read(
      "func.func @f(%c: i1) {\n  scf.while : () -> () {\n    scf.condition(%c)\n  } do {\n    "
      "scf.yield\n  }\n  return\n}\n",
      "k.pto", TextForm::mlir, said);
  ASSERT_TRUE(module) << text(said);
  EXPECT_FALSE(insert_sync(*module, target::a5, said));
  EXPECT_NE(text(said).find("k.pto:2:3: error: insert-sync follows scf.for and scf.if; here is 'scf.while'"),
            std::string::npos)
      << text(said);
}
TEST(insert_sync, looks_at_a_long_chain_of_sums_once) {
  std::string body = "  %s0 = arith.index_cast %p0 : i64 to index\n";
  for (int k = 0; k < 80; ++k) {
    const std::string a = "%s" + std::to_string(k);
    body += "  %s" + std::to_string(k + 1) + " = arith.addi " + a + ", " + a + " : index\n";
  }
  body +=
      "  %w = pto.partition_view %tv, offsets = [%s80, 0], sizes = [8, 32] : !pto.tensor_view<24x32xf32> -> "
      "!pto.partition_tensor_view<8x32xf32>\n" +
      alloc("%d", rows) + load("%d", "%w") + store("%d", "%o0");
  EXPECT_EQ(ids(*synced(kernel(body), target::a5)), std::vector{1});
}

/// Generates random kernels.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}
  std::string body() {
    std::string s;
    for (int k = 0; k < 3; ++k) s += alloc("%d" + std::to_string(k), rows) + load("%d" + std::to_string(k), "%t0");
    s += alloc("%n0", index) + load_index("%n0") + alloc("%n1", index) + load_index("%n1");
    s += alloc("%m", cell_index) + load_cell_index("%m");
    for (int k = 0; k < 2; ++k) s += alloc("%e" + std::to_string(k), cells) + load_cells("%e" + std::to_string(k));
    return s + items(3 + pick(6), 0);
  }

 private:
  int pick(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }
  std::string fresh(const char* prefix) { return prefix + std::to_string(names_++); }
  std::string tile() { return "%d" + std::to_string(pick(3)); }
  std::string idx() { return "%n" + std::to_string(pick(2)); }
  std::string block_of() { return (pick(2) ? "%t" : "%o") + std::to_string(pick(3)); }

  std::string items(int count, int depth) {
    std::string s;
    for (int i = 0; i < count; ++i) {
      const int what = pick(10);
      if (what == 0 && depth < 2)
        s += for_loop(depth);
      else if (what == 1 && depth < 3 && patterns_ < 4)
        s += branch(depth);
      else
        s += work();
    }
    return s;
  }
  std::string for_loop(int depth) {
    const std::string i = fresh("%i"), outer = variable_;
    std::string bound = depth == 0 ? "%c8" : "%c4", before;
    if (patterns_ < 4 && pick(3) == 0) before = times(bound);
    variable_ = i;
    const std::string s = before + loop(items(1 + pick(4), depth + 1), i, bound);
    variable_ = outer;
    return s;
  }
  /// The next pattern, shifted by the induction variable of the enclosing loop: each branch and loop has its own bits.
  std::string shifted(const std::string& n) {
    const std::string p = "%p" + std::to_string(patterns_++);
    if (variable_.empty()) return "  %h" + n + " = arith.shrui " + p + ", %one : i64\n";
    return "  %s" + n + " = arith.index_cast " + variable_ + " : index to i64\n  %h" + n + " = arith.shrui " + p +
           ", %s" + n + " : i64\n";
  }
  std::string times(std::string& bound) {
    const std::string n = std::to_string(names_++);
    bound = "%times" + n;
    return shifted(n) + "  %b" + n + " = arith.andi %h" + n + ", %c3 : i64\n  " + bound + " = arith.index_cast %b" + n +
           " : i64 to index\n";
  }
  std::string branch(int depth) {
    const std::string n = std::to_string(names_++);
    std::string s = shifted(n);
    s += "  %b" + n + " = arith.andi %h" + n + ", %one : i64\n  %q" + n + " = arith.cmpi eq, %b" + n +
         ", %one : i64\n  scf.if %q" + n + " {\n" + items(1 + pick(3), depth + 1);
    if (pick(2)) s += "  } else {\n" + items(1 + pick(2), depth + 1);
    return s + "  }\n";
  }
  std::string work() {
    const int a = pick(3), b = (a + 1 + pick(2)) % 3;
    switch (pick(13)) {
      case 0:
      case 1:
        return load(tile(), block_of());
      case 2:
        return load_index(idx());
      case 3:
        return store(tile(), block_of(), pick(4) == 0 ? " {atomicType = #pto.atomic_type<add>}" : "");
      case 4:
      case 5:
        return gather(tile(), block_of(), idx());
      case 6:
        return scatter(tile(), block_of(), idx(), pick(3) == 0);
      case 7:
        return expand(tile());
      case 8:
        return move("%d" + std::to_string(a), "%d" + std::to_string(b));
      case 9:
        return gather_cells("%e" + std::to_string(pick(2)), pick(2) ? "%te" : "%oe", "%m");
      case 10:
        return scatter_cells("%e" + std::to_string(pick(2)), pick(2) ? "%te" : "%oe", "%m");
      case 11:
        return tile_gather("%e1", "%e0", "%m");
      default:
        return shortly();
    }
  }
  /// A tile that is live for two instructions.
  std::string shortly() {
    const std::string t = fresh("%f");
    return alloc(t, rows) + (pick(2) ? load(t, block_of()) : expand(t)) + store(t, block_of());
  }

  Random random_;
  int names_ = 0, patterns_ = 0;
  std::string variable_;
};

TEST(insert_sync, orders_kernels_that_nobody_wrote) {
  int pairs = 0;
  for (std::uint64_t seed = 1; seed <= 120 && !HasFailure(); ++seed)
    for (const int n : judge(Writer(seed).body(), false)) pairs += n;
  EXPECT_GT(pairs, 800);
}

}  // namespace
}  // namespace ptox::assembly
