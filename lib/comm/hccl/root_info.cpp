// SPDX-License-Identifier: Apache-2.0
#include "comm/hccl/root_info.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ptox::comm::hccl {

namespace {

constexpr std::array<char, 16> magic{"ptox root info1"};

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::array<char, 48> this_machine() {
  std::array<char, 48> id{};
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  std::copy_n(boot.begin(), std::min(boot.size(), id.size() - 1), id.begin());
  return id;
}

bool is_file(int descriptor, std::uint64_t inode) {
  struct stat status{};
  return fstat(descriptor, &status) == 0 && status.st_ino == inode;
}

}  // namespace

std::uint64_t start_of(pid_t process) {
  // Fields 3, the state, and 22 of /proc/PID/stat. The name of the program, field 2, may contain blanks and ends with
  // the last parenthesis.
  const std::string line = first_line("/proc/" + std::to_string(process) + "/stat");
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return 0;  // it has ended, and its parent has not waited for it yet
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

RootInfo describe_file(int descriptor) {
  struct stat status{};
  fstat(descriptor, &status);
  return {magic, this_machine(), getpid(), start_of(getpid()), descriptor, status.st_ino};
}

OpenedFile open_file(const RootInfo& info) {
  if (info.magic != magic) return {-1, "the root info is not one of HcclGetRootInfo; did every rank receive it?"};
  if (info.machine != this_machine())
    return {-1,
            "the root info is from another machine; ranks on several machines need ptox::Engine::mpi (ptox/ranks.hpp)"};
  // A forked child has the descriptor itself, and needs it if the process that opened the group has ended.
  const int own = static_cast<int>(info.descriptor);
  if (is_file(own, info.inode)) return {fcntl(own, F_DUPFD_CLOEXEC, 0)};
  const std::string process = std::to_string(info.process);
  const auto gone = [&] { return start_of(static_cast<pid_t>(info.process)) != info.process_started; };
  if (gone())
    return {-1,
            "process " + process + ", which called HcclGetRootInfo, has ended; it has to run until all ranks joined"};
  const std::string path = "/proc/" + process + "/fd/" + std::to_string(info.descriptor);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const int error = errno;
  if (file >= 0 && is_file(file, info.inode)) return {file};
  if (file >= 0) {
    close(file);
    return {-1, "the group of this root info is complete or has ended; each group needs a new root info"};
  }
  return {-1, "the memory of process " + process + " cannot be opened (" + path + ": " + std::strerror(error) + ")"};
}

}  // namespace ptox::comm::hccl
