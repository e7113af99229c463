// SPDX-License-Identifier: Apache-2.0
// Draws ratios to the plain loop as bars to either side of 1.
#include <cstdio>

#include "bench/charts.hpp"
#include "bench/scale.hpp"

namespace ptox::bench {

namespace {

constexpr double left = 340, right = chart_width - 70, top = 96, thick = 11, gap = 13;
constexpr double least = 0.1;  // bars of smaller ratios end here, and their number is shown

struct Bar {
  std::string name;
  const char* colour;
  double ratio;
};

/// The bars of a result for the ways that were timed, ours first.
std::vector<Bar> bars_of(const Result& r, int threads, bool with_many) {
  const std::string many = "ptox, " + std::to_string(threads) + " threads";
  std::vector<Bar> out{{"ptox", our_colour, r.over_plain(r.ours())}};
  if (with_many && threads > 1) out.push_back({many, many_colour, r.over_plain(r.ours(threads))});
  out.push_back({"torch", torch_colour, r.over_plain(r.find("torch"))});
  out.push_back({"numpy", numpy_colour, r.over_plain(r.find("numpy"))});
  std::erase_if(out, [](const Bar& b) { return b.ratio <= 0; });
  return out;
}

std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, ratio >= 9.95 ? "%.0f×" : ratio >= 0.1 ? "%.2f×" : "%.1g×", ratio);
  return text;
}

std::string tick_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%g×", ratio);
  return text;
}

LogScale scale_of(const std::vector<Result>& results, int threads, bool with_many) {
  double low = 0.5, high = 2;
  for (const Result& r : results) {
    high = std::max(high, r.over_plain(r.limit()));
    for (const Bar& b : bars_of(r, threads, with_many)) low = std::min(low, b.ratio), high = std::max(high, b.ratio);
  }
  return {std::max(low / 1.4, least), high * 1.2, left + 64, right};
}

/// The height of a row with its gap: that of its bars or of its text, whichever is larger.
double height_of(const Result& r, int threads, bool with_many) {
  const double bars = thick * static_cast<double>(bars_of(r, threads, with_many).size());
  return std::max(bars, r.about.empty() ? thick : 28) + gap;
}

void draw_legend(Canvas& canvas, const std::vector<Result>& results, int threads, bool with_many) {
  std::vector<Bar> names;
  bool limit = false;
  for (const Result& r : results) {
    limit |= r.limit() != nullptr;
    for (const Bar& b : bars_of(r, threads, with_many))
      if (std::none_of(names.begin(), names.end(), [&](const Bar& n) { return n.name == b.name; })) names.push_back(b);
  }
  double x = left + 34;
  for (const Bar& b : names) {
    canvas.bar(x, 54, 12, 12, b.colour);
    canvas.text(x + 18, 64, b.name);
    x += 42 + 7.0 * static_cast<double>(b.name.size());
  }
  if (!limit) return;
  canvas.line({x + 6, 52}, {x + 6, 68}, ink, 2.5);
  canvas.text(x + 16, 64, "what memory allows, one thread");
}

void draw_axis(Canvas& canvas, const LogScale& scale, double bottom) {
  for (const double tick : scale.ticks(12)) {
    canvas.line({scale(tick), top - 6}, {scale(tick), bottom}, grid);
    canvas.text(scale(tick), top - 11, tick_text(tick), {"middle", 11, faint});
  }
  canvas.line({scale(1), top - 6}, {scale(1), bottom}, ink, 1.5);
}

/// Draws a bar from ratio 1 to the left or to the right.
void draw_bar(Canvas& canvas, const LogScale& scale, const Bar& b, double y) {
  const double end = scale(b.ratio), one = scale(1);
  canvas.bar(std::min(end, one), y + 1, std::max(1.0, std::abs(end - one)), thick - 2, b.colour);
}

/// Writes the ratio at the end of its bar, or beyond the stroke at `limit` if that would cross the text.
void draw_value(Canvas& canvas, const LogScale& scale, const Bar& b, double y, double limit) {
  const bool ours = b.colour == our_colour, faster = b.ratio >= 1;
  const double end = scale(b.ratio), past = faster ? limit - end : end - limit;
  const double at = past > -3 && past < 40 ? limit : end;
  canvas.text(faster ? at + 5 : at - 5, y + thick - 2, (b.ratio < scale.low ? "‹ " : "") + times(b.ratio),
              {faster ? "start" : "end", 10, ours ? ink : faint, ours});
}

/// Draws the limit as a stroke over our bar. Returns its position, or one far outside if there is none.
double draw_limit(Canvas& canvas, const LogScale& scale, const Result& r, double y) {
  const double limit = r.over_plain(r.limit());
  if (limit <= 0 || limit > scale.high) return -chart_width;
  canvas.line({scale(limit), y - 2}, {scale(limit), y + thick + 2}, ink, 2.5);
  return scale(limit);
}

void draw_row(Canvas& canvas, const LogScale& scale, const Result& r, double y, const std::vector<Bar>& bars) {
  const double height = thick * static_cast<double>(bars.size());
  const double middle = y + std::max(height, r.about.empty() ? 0.0 : 28.0) / 2, first = middle - height / 2;
  canvas.text(left, r.about.empty() ? middle + 4 : middle - 3, r.name, {"end", 13, ink, true});
  if (!r.about.empty()) canvas.text(left, middle + 12, r.about, {"end", 11, faint});
  const auto at = [&](std::size_t i) { return first + thick * static_cast<double>(i); };
  for (std::size_t i = 0; i < bars.size(); ++i) draw_bar(canvas, scale, bars[i], at(i));
  const double limit = draw_limit(canvas, scale, r, first);
  for (std::size_t i = 0; i < bars.size(); ++i)
    draw_value(canvas, scale, bars[i], at(i), i == 0 ? limit : -chart_width);
}

}  // namespace

Chart bars(const std::string& title, const std::vector<Result>& results, int threads, bool with_many) {
  Chart chart{{}, top};
  for (const Result& r : results) chart.height += height_of(r, threads, with_many);
  const LogScale scale = scale_of(results, threads, with_many);
  chart.canvas.text(24, 30, title, {"start", 18, ink, true});
  chart.canvas.text(24, 64, "times as fast as the plain loop", {"start", 12, faint});
  draw_legend(chart.canvas, results, threads, with_many);
  draw_axis(chart.canvas, scale, chart.height);
  double y = top + gap / 2;
  for (const Result& r : results) {
    draw_row(chart.canvas, scale, r, y, bars_of(r, threads, with_many));
    y += height_of(r, threads, with_many);
  }
  chart.height += 24;
  return chart;
}

}  // namespace ptox::bench
