// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/shares.hpp"

#include <algorithm>
#include <fstream>

#include "bench/canvas.hpp"

namespace ptox::bench::gpu {

namespace {

struct Column {
  const char* way;
  const char* heading;
  const char* colour;
};
constexpr Column columns[] = {{"ptox", "ptox", our_colour},
                              {"tile", "by tiles", many_colour},
                              {"straight", "straight", plain_colour},
                              {"torch", "torch", torch_colour},
                              {"triton", "triton", numpy_colour}};

constexpr double width = 960, left = 300, right = 900, thick = 11, gap = 12, top = 108;

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

double height_of(const Measured& m) {
  double bars = 0;
  for (const Column& c : columns) bars += m.share(c.way) > 0;
  return std::max(28.0, bars * thick) + gap;
}

void draw(Canvas& canvas, const Measured& m, double y, double full) {
  canvas.text(left - 12, y + 12, m.about.name, {"end", 13, ink, true});
  canvas.text(left - 12, y + 26, m.about.about, {"end", 11, faint});
  for (const Column& c : columns) {
    const double share = m.share(c.way);
    if (share <= 0) continue;
    const double length = (right - left) * std::min(share, full) / full;
    canvas.bar(left, y + 1, std::max(1.0, length), thick - 2, c.colour);
    canvas.text(left + length + 5, y + thick - 2, percent(share), {"start", 10, c.way == columns[0].way ? ink : faint});
    y += thick;
  }
}

}  // namespace

double Measured::share(const std::string& way) const {
  const Series* s = result.find(way);
  return s && s->median() > 0 ? about.useful_bytes() / s->median() / copy_rate : 0;
}

void print_heading(std::FILE* out) {
  std::fprintf(out, "%-16s %9s %7s", "case", "ms", "spread");
  for (const Column& c : columns) std::fprintf(out, " %9s", c.heading);
  std::fprintf(out, " %12s\n", "in order ms");
}

void print(std::FILE* out, const Measured& m) {
  const Series* ours = m.result.ours();
  std::fprintf(out, "%-16s %9.3f %6.1f%%", m.about.name.c_str(), ours->median() * 1e3, 100 * ours->spread());
  for (const Column& c : columns)
    m.share(c.way) > 0 ? std::fprintf(out, " %8.1f%%", 100 * m.share(c.way)) : std::fprintf(out, " %9s", "-");
  if (const Series* ordered = m.result.find("in order")) std::fprintf(out, " %12.3f", ordered->median() * 1e3);
  std::fprintf(out, "\n");
  std::fflush(out);
}

bool write_chart(const std::string& path, const std::string& device, const std::vector<Measured>& all) {
  Canvas canvas;
  double height = top, full = 1;
  for (const Measured& m : all) {
    height += height_of(m);
    for (const Column& c : columns) full = std::max(full, m.share(c.way));
  }
  canvas.text(24, 30, "Indexed moves on " + device, {"start", 18, ink, true});
  canvas.text(24, 50, "useful bytes a second, as a share of what a copy moves", {"start", 12, faint});
  double x = left;
  for (const Column& c : columns) {
    canvas.bar(x, 62, 12, 12, c.colour);
    canvas.text(x + 18, 72, c.heading);
    x += 110;
  }
  for (double tick = 0; tick <= full + 0.001; tick += 0.25) {
    const double at = left + (right - left) * tick / full;
    canvas.line({at, top - 8}, {at, height}, tick == 1 ? ink : grid, tick == 1 ? 1.5 : 1);
    canvas.text(at, top - 11, tick == 1 ? "copy" : percent(tick), {"middle", 10, tick == 1 ? ink : faint});
  }
  double y = top;
  for (const Measured& m : all) draw(canvas, m, y, full), y += height_of(m);
  std::ofstream out(path);
  out << canvas.document(width, height + 20);
  out.close();
  return static_cast<bool>(out);
}

}  // namespace ptox::bench::gpu
