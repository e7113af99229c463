// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

namespace ptox::tool {

namespace {

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    bool replaced = false;
    const std::string name = entry.substr(0, entry.find('='));
    for (const auto& [ours, value] : variables) replaced |= name == ours;
    if (!replaced) all.push_back(entry);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

/// Ignores SIGINT and SIGQUIT during its lifetime; programs that are started with `attributes()` get the previous
/// handling.
class InterruptsIgnored {
 public:
  InterruptsIgnored() {
    interrupt_ = ::signal(SIGINT, SIG_IGN);
    quit_ = ::signal(SIGQUIT, SIG_IGN);
    posix_spawnattr_init(&attributes_);
    sigset_t restored;
    sigemptyset(&restored);
    if (interrupt_ != SIG_IGN) sigaddset(&restored, SIGINT);
    if (quit_ != SIG_IGN) sigaddset(&restored, SIGQUIT);
    posix_spawnattr_setsigdefault(&attributes_, &restored);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~InterruptsIgnored() {
    posix_spawnattr_destroy(&attributes_);
    ::signal(SIGINT, interrupt_);
    ::signal(SIGQUIT, quit_);
  }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
  posix_spawnattr_t attributes_;
};

ProgramEnd wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {.error = strerror(errno), .process = child};
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status), .process = child};
  return {.code = WEXITSTATUS(status), .process = child};
}

bool is_program(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& variables) {
  std::cout.flush();
  std::cerr.flush();
  std::vector<std::string> words = command, environment = environment_with(variables);
  const InterruptsIgnored ignored;
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0].c_str(), nullptr, ignored.attributes(), pointers(words).data(),
                                  pointers(environment).data());
  return failed ? ProgramEnd{.error = strerror(failed)} : wait_for(child);
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.find('/') != name.npos) return is_program(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  const char* path = getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; !name.empty() && std::getline(folders, folder, ':');)
    if (auto file = std::filesystem::path(folder.empty() ? "." : folder) / name; is_program(file)) return file;
  return std::nullopt;
}

std::string signal_text(int signal) { return std::to_string(signal) + " (" + strsignal(signal) + ")"; }

TemporaryFolder::TemporaryFolder() {
  const char* place = getenv("TMPDIR");
  std::string name = std::string(place && *place ? place : "/tmp") + "/ptox_XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder " + name + ": " + strerror(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code kept;
  std::filesystem::remove_all(path_, kept);
}

}  // namespace ptox::tool
