// SPDX-License-Identifier: Apache-2.0
#include "bench/peers.hpp"

#include <fstream>
#include <sstream>

namespace ptox::bench {

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace

Peers::Peers() : python_("peers.py") {}

std::string Peers::save(std::span<const std::int32_t> idx) const {
  const std::string path = folder_.path() / "idx";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(idx.data()), static_cast<std::streamsize>(idx.size_bytes()));
  return path;
}

double Peers::run(const std::string& peer, int threads) {
  return python_.seconds("run " + peer + " " + std::to_string(threads), peer);
}

std::vector<Way> Peers::open(const Work& w, std::span<const std::int32_t> idx, int threads) {
  if (!python_.there()) return {};
  std::ostringstream line;
  line << "open " << name(w.move) << ' ' << name(w.number) << ' ' << w.rows << ' ' << w.width << ' ' << w.count << ' '
       << (w.pages == Pages::huge ? "huge" : "small") << ' ' << save(idx);
  std::vector<Way> ways;
  for (const std::string& word : words_of(python_.ask(line.str()))) {
    const std::string peer = word.substr(0, word.find(':'));
    if (peer != "numpy" && peer != "torch") return {};
    ways.push_back({peer, [=, this] { return run(peer, 1); }, Kind::peer, 1, word != peer});
    if (peer == "torch" && threads > 1)
      ways.push_back({peer, [=, this] { return run(peer, threads); }, Kind::peer, threads});
  }
  return ways;
}

std::vector<Way> Peers::open_tiny(const Work& w, std::span<const std::int32_t> idx, std::int64_t calls) {
  if (!python_.there()) return {};
  std::ostringstream line;
  line << "tiny " << w.width << ' ' << w.count << ' ' << w.rows << ' ' << save(idx);
  std::vector<Way> ways;
  for (const std::string& peer : words_of(python_.ask(line.str()))) {
    if (peer != "numpy" && peer != "torch") return {};
    ways.push_back({peer, [=, this] { return run(peer, 1) * static_cast<double>(calls); }, Kind::peer});
  }
  return ways;
}

void Peers::close() { python_.ask("close"); }

}  // namespace ptox::bench
