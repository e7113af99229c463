// SPDX-License-Identifier: Apache-2.0
// Results that a rank in another process leaves for the process that started it.
#pragma once

#include <string>
#include <vector>

#include "ptox/report.hpp"

namespace ptox::comm {

/// A rank's answer, and what was found: by its plain calls, and by its other launches where the process reports these.
struct Mail {
  std::string answer;
  Report report, launches;
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
