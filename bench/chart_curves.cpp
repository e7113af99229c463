// SPDX-License-Identifier: Apache-2.0
// Draws the cost of one row along an axis, with a panel for every group.
#include <cstdio>
#include <map>

#include "bench/charts.hpp"
#include "bench/report.hpp"
#include "bench/scale.hpp"

namespace ptox::bench {

namespace {

constexpr double panel_width = chart_width / 2, panel_height = 280, top = 84;
constexpr double left = 64, right = panel_width - 24, upper = 34, lower = panel_height - 52;

using Group = std::vector<const Result*>;

std::string number(double value) {
  char text[32];
  if (value >= 1e6)
    std::snprintf(text, sizeof text, "%gM", value / 1e6);
  else if (value >= 1e4)
    std::snprintf(text, sizeof text, "%gk", value / 1e3);
  else
    std::snprintf(text, sizeof text, "%g", value);
  return text;
}

LogScale y_scale(const Group& group) {
  double low = 1e300, high = 0;
  for (const Result* r : group)
    for (const Series* s : {r->ours(), r->plain()}) {
      low = std::min(low, r->nanoseconds(*s));
      high = std::max(high, r->nanoseconds(*s));
    }
  return {low / 1.3, high * 1.3, lower, upper};
}

LogScale x_scale(const Group& group) {
  const double low = group.front()->x, high = group.back()->x;
  return {low, std::max(high, low * 2), left, right};
}

void draw_axes(Canvas& canvas, const LogScale& x, const LogScale& y, const std::string& axis, const std::string& item) {
  for (const double tick : y.ticks(8)) {
    canvas.line({left, y(tick)}, {right, y(tick)}, grid);
    canvas.text(left - 6, y(tick) + 4, number(tick), {"end", 11, faint});
  }
  for (const double tick : x.ticks(7)) {
    canvas.line({x(tick), upper}, {x(tick), lower}, grid);
    canvas.text(x(tick), lower + 16, number(tick), {"middle", 11, faint});
  }
  canvas.line({left, lower}, {right, lower}, faint);
  canvas.text((left + right) / 2, lower + 34, axis, {"middle", 11, faint});
  canvas.text(left - 40, upper - 12, "ns per " + item, {"start", 11, faint});
}

void draw_curve(Canvas& canvas, const Group& group, const LogScale& x, const LogScale& y, bool ours) {
  std::vector<Canvas::Point> points;
  for (const Result* r : group) points.emplace_back(x(r->x), y(r->nanoseconds(ours ? *r->ours() : *r->plain())));
  const char* colour = ours ? our_colour : plain_colour;
  canvas.curve(points, colour);
  for (const Canvas::Point& p : points) canvas.dot(p, 2.2, colour);
}

void draw_falls(Canvas& canvas, const Group& group, const LogScale& x, const LogScale& y) {
  double before = 0;
  for (const Result* r : group) {
    const double ratio = r->over_plain(r->ours());
    if (fall(before, ratio) > 0) canvas.ring({x(r->x), y(r->nanoseconds(*r->ours()))}, 6, alarm_colour);
    before = ratio;
  }
}

Canvas panel(const std::string& name, const Group& group, const std::string& axis) {
  Canvas canvas;
  const LogScale x = x_scale(group), y = y_scale(group);
  canvas.text((left + right) / 2, upper - 12, name, {"middle", 13, ink, true});
  draw_axes(canvas, x, y, axis, group.front()->item);
  draw_curve(canvas, group, x, y, false);
  draw_curve(canvas, group, x, y, true);
  draw_falls(canvas, group, x, y);
  return canvas;
}

void draw_legend(Canvas& canvas) {
  const std::pair<const char*, const char*> names[] = {{"ptox", our_colour}, {"plain loop", plain_colour}};
  double x = 24;
  for (const auto& [name, colour] : names) {
    canvas.line({x, 56}, {x + 22, 56}, colour, 2);
    canvas.dot({x + 11, 56}, 3, colour);
    canvas.text(x + 30, 60, name);
    x += 90;
  }
  canvas.ring({x + 30, 56}, 6, alarm_colour);
  canvas.text(x + 44, 60, "here the lead over the plain loop falls by more than 1.5");
}

}  // namespace

Chart curves(const std::string& title, const std::string& axis, const std::vector<Result>& results) {
  std::vector<std::pair<std::string, Group>> groups;
  for (const Result& r : results) {
    if (groups.empty() || groups.back().first != r.group) groups.push_back({r.group, {}});
    if (r.ours() && r.plain()) groups.back().second.push_back(&r);
  }
  const std::size_t rows = (groups.size() + 1) / 2;
  Chart chart{{}, top + static_cast<double>(rows) * panel_height + 16};
  chart.canvas.text(24, 30, title, {"start", 18, ink, true});
  draw_legend(chart.canvas);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t row = i / 2, column = i % 2;
    if (!groups[i].second.empty())
      chart.canvas.put(panel(groups[i].first, groups[i].second, axis), panel_width * static_cast<double>(column),
                       top + panel_height * static_cast<double>(row));
  }
  return chart;
}

}  // namespace ptox::bench
