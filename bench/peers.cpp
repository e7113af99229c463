// SPDX-License-Identifier: Apache-2.0
#include "bench/peers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "installation.hpp"

namespace ptox::bench {

namespace {

namespace fs = std::filesystem;

/// Empty when there is none.
std::string python() {
  if (const char* wanted = std::getenv("PTOX_PEERS")) {
    const auto found = tool::find_program(wanted);
    return found ? found->string() : "";
  }
  const fs::path made = tool::bench_folder().parent_path() / "build/peers/bin/python";
  return tool::find_program(made.string()) ? made.string() : "";
}

std::string how_to_get_them() {
  if (const char* wanted = std::getenv("PTOX_PEERS"))
    return std::string("left out, PTOX_PEERS is '") + wanted + "', which is no Python with numpy";
  return "left out; bench/peers.sh sets them up, or PTOX_PEERS names a Python that has them";
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace

Peers::Peers() : sentence_(how_to_get_them()) {
  const fs::path script = tool::bench_folder() / "peers.py";
  const std::string interpreter = python();
  if (interpreter.empty() || !fs::exists(script) || !start(interpreter, script)) return;
  const std::string versions = ask("versions");
  if (!versions.empty() && versions != "none" && !versions.starts_with("error"))
    sentence_ = versions;
  else if (channel_ >= 0)
    ::close(std::exchange(channel_, -1));
}

Peers::~Peers() {
  if (channel_ >= 0) ::close(channel_);  // the end of its input ends the child
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

bool Peers::start(const std::string& python, const std::string& script) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {0, 1}) posix_spawn_file_actions_adddup2(&actions, ends[1], stream);
  std::string words[] = {python, script};
  char* arguments[] = {words[0].data(), words[1].data(), nullptr};
  const int failed = posix_spawn(&child_, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed) child_ = -1;
  channel_ = ends[0];
  return !failed;
}

/// A child that is gone answers nothing.
std::string Peers::ask(const std::string& line) {
  const std::string sent = line + "\n";
  if (channel_ < 0 || send(channel_, sent.data(), sent.size(), MSG_NOSIGNAL) < 0) return {};
  char chunk[512];
  while (unread_.find('\n') == unread_.npos) {
    const ssize_t got = recv(channel_, chunk, sizeof chunk, 0);
    if (got <= 0) return {};
    unread_.append(chunk, static_cast<std::size_t>(got));
  }
  const std::size_t end = unread_.find('\n');
  const std::string answer = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return answer;
}

std::string Peers::save(std::span<const std::int32_t> idx) const {
  const std::string path = folder_.path() / "idx";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(idx.data()), static_cast<std::streamsize>(idx.size_bytes()));
  return path;
}

double Peers::run(const std::string& peer, int threads) {
  const std::string answer = ask("run " + peer + " " + std::to_string(threads));
  char* end = nullptr;
  const double seconds = std::strtod(answer.c_str(), &end);
  if (!answer.empty() && *end == 0) return seconds;
  std::cerr << "ptox bench: " << peer << ": " << (answer.empty() ? "no answer" : answer) << '\n';
  return 0;
}

std::vector<Way> Peers::open(const Work& w, std::span<const std::int32_t> idx, int threads) {
  if (channel_ < 0) return {};
  std::ostringstream line;
  line << "open " << name(w.move) << ' ' << name(w.number) << ' ' << w.rows << ' ' << w.width << ' ' << w.count << ' '
       << (w.pages == Pages::huge ? "huge" : "small") << ' ' << save(idx);
  std::vector<Way> ways;
  for (const std::string& word : words_of(ask(line.str()))) {
    const std::string peer = word.substr(0, word.find(':'));
    if (peer != "numpy" && peer != "torch") return {};
    ways.push_back({peer, [=, this] { return run(peer, 1); }, Kind::peer, 1, word != peer});
    if (peer == "torch" && threads > 1)
      ways.push_back({peer, [=, this] { return run(peer, threads); }, Kind::peer, threads});
  }
  return ways;
}

std::vector<Way> Peers::open_tiny(const Work& w, std::span<const std::int32_t> idx, std::int64_t calls) {
  if (channel_ < 0) return {};
  std::ostringstream line;
  line << "tiny " << w.width << ' ' << w.count << ' ' << w.rows << ' ' << save(idx);
  std::vector<Way> ways;
  for (const std::string& peer : words_of(ask(line.str()))) {
    if (peer != "numpy" && peer != "torch") return {};
    ways.push_back({peer, [=, this] { return run(peer, 1) * static_cast<double>(calls); }, Kind::peer});
  }
  return ways;
}

void Peers::close() { ask("close"); }

}  // namespace ptox::bench
