// SPDX-License-Identifier: Apache-2.0
// The results of a rank in another process, which the process that started it reads.
#pragma once

#include <string>
#include <vector>

#include "ptox/report.hpp"

namespace ptox::comm {

/// The result of a rank and its findings: those of plain calls in `report`, those of other launches that the process
/// reports in `launches`.
struct Mail {
  std::string answer;
  Report report, launches;
};

/// Serialisation to bytes and back. Truncated bytes give an empty mail.
std::string sealed(const Mail& mail);
Mail opened(const std::string& bytes);

/// An anonymous file that a forked process writes and this process reads. The constructor throws std::system_error.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(Mailbox&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  Mailbox& operator=(Mailbox&&) = delete;

  void write(const Mail& mail) const noexcept;
  Mail read() const;

 private:
  int file_;
};

}  // namespace ptox::comm
