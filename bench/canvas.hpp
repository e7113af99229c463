// SPDX-License-Identifier: Apache-2.0
// Writes a picture as SVG, one shape at a time.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ptox::bench {

inline constexpr const char *ink = "#1f2933", *faint = "#69737d", *grid = "#e3e7eb", *our_colour = "#1769aa",
                            *many_colour = "#7fb3d9", *numpy_colour = "#e39b2d", *torch_colour = "#b8496b",
                            *plain_colour = "#7b8794", *alarm_colour = "#d1242f";

/// The style of a text; `anchor` is "start", "middle" or "end".
struct Style {
  const char* anchor = "start";
  int size = 12;
  const char* colour = ink;
  bool bold = false;
};

/// Shapes in the order in which they are drawn; y grows downwards.
class Canvas {
 public:
  using Point = std::pair<double, double>;
  void text(double x, double y, const std::string&, const Style& = {});
  void line(Point from, Point to, const char* colour, double width = 1);
  void bar(double x, double y, double width, double height, const char* colour);
  void curve(const std::vector<Point>&, const char* colour);
  void dot(Point, double radius, const char* colour);
  void ring(Point, double radius, const char* colour);
  /// Draws another canvas with its origin at (x, y).
  void put(const Canvas&, double x, double y);

  /// The complete SVG document.
  std::string document(double width, double height) const;

 private:
  std::ostringstream body_;
};

}  // namespace ptox::bench
