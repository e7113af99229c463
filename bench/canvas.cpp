// SPDX-License-Identifier: Apache-2.0
#include "bench/canvas.hpp"

#include <cstdio>

namespace ptox::bench {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string{c};
  return out;
}

/// A coordinate as text. One decimal digit is finer than a pixel.
std::string at(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

void Canvas::text(double x, double y, const std::string& text, const Style& style) {
  body_ << "<text x=\"" << at(x) << "\" y=\"" << at(y) << "\" text-anchor=\"" << style.anchor << "\" font-size=\""
        << style.size << "\" paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"3\" fill=\"" << style.colour
        << (style.bold ? "\" font-weight=\"600\">" : "\">") << escaped(text) << "</text>\n";
}

void Canvas::line(Point from, Point to, const char* colour, double width) {
  body_ << "<line x1=\"" << at(from.first) << "\" y1=\"" << at(from.second) << "\" x2=\"" << at(to.first) << "\" y2=\""
        << at(to.second) << "\" stroke=\"" << colour << "\" stroke-width=\"" << width << "\"/>\n";
}

void Canvas::bar(double x, double y, double width, double height, const char* colour) {
  body_ << "<rect x=\"" << at(x) << "\" y=\"" << at(y) << "\" width=\"" << at(width) << "\" height=\"" << at(height)
        << "\" rx=\"1.5\" fill=\"" << colour << "\"/>\n";
}

void Canvas::curve(const std::vector<Point>& points, const char* colour) {
  body_ << "<polyline fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"2\" stroke-linejoin=\"round\" points=\"";
  for (const auto& [x, y] : points) body_ << at(x) << ',' << at(y) << ' ';
  body_ << "\"/>\n";
}

void Canvas::dot(Point p, double radius, const char* colour) {
  body_ << "<circle cx=\"" << at(p.first) << "\" cy=\"" << at(p.second) << "\" r=\"" << radius << "\" fill=\"" << colour
        << "\"/>\n";
}

void Canvas::ring(Point p, double radius, const char* colour) {
  body_ << "<circle cx=\"" << at(p.first) << "\" cy=\"" << at(p.second) << "\" r=\"" << radius
        << "\" fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"1.5\"/>\n";
}

void Canvas::put(const Canvas& other, double x, double y) {
  body_ << "<g transform=\"translate(" << at(x) << ' ' << at(y) << ")\">\n" << other.body_.str() << "</g>\n";
}

std::string Canvas::document(double width, double height) const {
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << at(width) << ' ' << at(height) << "\" width=\""
      << at(width) << "\" height=\"" << at(height)
      << "\" font-family=\"system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      << body_.str() << "</svg>\n";
  return out.str();
}

}  // namespace ptox::bench
