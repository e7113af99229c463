// SPDX-License-Identifier: Apache-2.0
#include "bench/python.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "installation.hpp"
#include "process.hpp"

namespace ptox::bench {

namespace {

namespace fs = std::filesystem;

/// The path of the interpreter; empty if there is none.
std::string python(const std::string& otherwise) {
  const char* wanted = std::getenv("PTOX_PEERS");
  if (wanted || !otherwise.empty()) {
    const auto found = tool::find_program(wanted ? wanted : otherwise);
    if (found || wanted) return found ? found->string() : "";
  }
  const fs::path made = tool::bench_folder().parent_path() / "build/peers/bin/python";
  return tool::find_program(made.string()) ? made.string() : "";
}

std::string how_to_get_them() {
  if (const char* wanted = std::getenv("PTOX_PEERS"))
    return std::string("left out, PTOX_PEERS is '") + wanted + "', which is no Python that has them";
  return "left out; bench/peers.sh sets them up, or PTOX_PEERS names a Python that has them";
}

}  // namespace

Python::Python(const std::string& script, const std::string& otherwise) : sentence_(how_to_get_them()) {
  const fs::path file = tool::bench_folder() / script;
  const std::string interpreter = python(otherwise);
  if (interpreter.empty() || !fs::exists(file) || !start(interpreter, file)) return;
  const std::string versions = ask("versions");
  if (!versions.empty() && versions != "none" && !versions.starts_with("error"))
    sentence_ = versions;
  else if (channel_ >= 0)
    ::close(std::exchange(channel_, -1));
}

Python::~Python() {
  if (channel_ >= 0) ::close(channel_);  // the child exits at the end of its input
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

bool Python::start(const std::string& python, const std::string& script) {
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

/// Returns an empty string if the child has exited.
std::string Python::ask(const std::string& line) {
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

double Python::seconds(const std::string& line, const std::string& peer) {
  const std::string answer = ask(line);
  char* end = nullptr;
  const double seconds = std::strtod(answer.c_str(), &end);
  if (!answer.empty() && *end == 0) return seconds;
  std::cerr << "ptox bench: " << peer << ": " << (answer.empty() ? "no answer" : answer) << '\n';
  return 0;
}

}  // namespace ptox::bench
