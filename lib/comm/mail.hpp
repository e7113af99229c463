// SPDX-License-Identifier: Apache-2.0
// What does a rank in another process leave behind for the one who started it?
#pragma once

#include <string>
#include <vector>

#include "ptox/report.hpp"

namespace ptox::comm {

/// A rank's answer and what its plain calls found.
struct Mail {
  std::string answer;
  Report report;
};

/// As bytes, and back; bytes that were cut give an empty mail.
std::string sealed(const Mail& mail);
Mail opened(const std::string& bytes);

/// A file without a name, which a forked process writes and this one reads. Throws std::system_error.
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
