// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <cstdarg>

namespace ptox::bench {

namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

std::string milliseconds(const Series* s) {
  if (!s || s->median() <= 0) return "-";
  const double ms = s->median() * 1e3;
  return text(ms < 1 ? "%.3f" : ms < 100 ? "%.1f" : "%.0f", ms);
}

std::string times(double ratio) { return ratio > 0 ? text("%.2f", ratio) : "-"; }

double quotient(const Series* a, const Series* b) { return a && b && b->median() > 0 ? a->median() / b->median() : 0; }

constexpr const char* workload_line = "%-13s %8s %6s %8s %-10s %6s %8s %8s %8s %-18s | %7s %5s %8s %8s\n";

bool is_curve(const Result& r) { return !r.group.empty(); }
bool has_plain(const Result& r) { return r.plain() != nullptr; }

}  // namespace

double fall(double before, double ratio) { return before > 1.5 * ratio && ratio > 0 ? before / ratio : 0; }

void print(const Circumstances& c, std::FILE* out) {
  for (const auto& [name, value] : c.facts) std::fprintf(out, "%-11s %s\n", name.c_str(), value.c_str());
  if (c.quick) std::fprintf(out, "%-11s %s\n", "quick", "sizes cut down: these numbers say nothing about speed");
}

void Table::add(const Result& r) {
  if (r.bench != bench_ || r.group != group_) heading(r);
  if (r.bench == "workloads")
    workload(r);
  else
    has_plain(r) ? point(r) : ways(r);
  std::fflush(out_);
}

void Table::heading(const Result& r) {
  if (r.bench != bench_) std::fprintf(out_, "\n%s: medians, one thread unless said\n", r.bench.c_str());
  bench_ = r.bench, group_ = r.group, ratio_ = 0;
  const std::string all = threads_ > 1 ? "on " + std::to_string(threads_) : "";
  if (r.bench == "workloads")
    std::fprintf(out_, workload_line, "ms", "ours", "spread", "plain", "by", "ratio", "numpy", "torch", "limit", "of",
                 all.c_str(), threads_ > 1 ? "gain" : "", threads_ > 1 ? "torch" : "", threads_ > 1 ? "limit" : "");
  else if (has_plain(r))
    std::fprintf(out_, "%-34s %10s %10s %-10s %6s %10s\n", ("ns per " + r.item).c_str(), "ours", "plain", "by", "ratio",
                 is_curve(r) ? "" : all.c_str());
}

void Table::workload(const Result& r) {
  const Series *ours = r.ours(), *plain = r.plain(), *limit = r.limit();
  std::fprintf(out_, workload_line, r.name.c_str(), milliseconds(ours).c_str(),
               text("%.1f%%", ours->spread() * 100).c_str(), milliseconds(plain).c_str(),
               plain ? plain->way.c_str() : "-", times(r.over_plain(ours)).c_str(),
               milliseconds(r.find("numpy")).c_str(), milliseconds(r.find("torch")).c_str(),
               milliseconds(limit).c_str(), limit ? limit->way.c_str() : "-", on_all(r.ours(threads_)).c_str(),
               threads_ > 1 ? times(quotient(ours, r.ours(threads_))).c_str() : "",
               on_all(r.find("torch", threads_)).c_str(), on_all(r.limit(threads_)).c_str());
}

void Table::point(const Result& r) {
  const Series *ours = r.ours(), *plain = r.plain(), *all = threads_ > 1 ? r.ours(threads_) : nullptr;
  const double ratio = r.over_plain(ours), fell = is_curve(r) ? fall(ratio_, ratio) : 0;
  std::fprintf(out_, "%-34s %10.3f %10.3f %-10s %6.2f", r.name.c_str(), r.nanoseconds(*ours), r.nanoseconds(*plain),
               plain->way.c_str(), ratio);
  if (all) std::fprintf(out_, " %10.3f", r.nanoseconds(*all));
  if (fell > 0) std::fprintf(out_, "  <- falls by %.1f", fell);
  std::fprintf(out_, "\n");
  ratio_ = ratio;
}

std::string Table::on_all(const Series* s) const { return threads_ > 1 ? milliseconds(s) : ""; }

void Table::ways(const Result& r) {
  std::string name = r.name;
  for (const Series& s : r.series) {
    std::fprintf(out_, "  %-28s %-22s %10.3f ms  x %.2f\n", name.c_str(), s.way.c_str(), s.median() * 1e3,
                 quotient(&s, &r.series.front()));
    name.clear();
  }
}

}  // namespace ptox::bench
