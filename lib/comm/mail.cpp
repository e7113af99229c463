// SPDX-License-Identifier: Apache-2.0
#include "comm/mail.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace ptox::comm {

namespace {

class Writer {
 public:
  void number(std::int64_t n) { bytes_.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void text(const std::string& s) { number(static_cast<std::int64_t>(s.size())), bytes_ += s; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  std::int64_t number() {
    std::int64_t n = 0;
    if (const std::string s = take(sizeof n); s.size() == sizeof n) std::memcpy(&n, s.data(), sizeof n);
    return n;
  }
  std::string text() { return take(static_cast<std::size_t>(number())); }
  bool ok() const { return ok_; }

 private:
  std::string take(std::size_t n) {
    ok_ = ok_ && n <= bytes_.size() - at_;
    if (!ok_) return {};
    at_ += n;
    return bytes_.substr(at_ - n, n);
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

void write(Writer& w, const Finding& f) {
  for (const std::string* s : {&f.id, &f.message, &f.file}) w.text(*s);
  for (std::int64_t n : {static_cast<std::int64_t>(f.severity), std::int64_t{f.line}, std::int64_t{f.block}, f.count})
    w.number(n);
  w.number(static_cast<std::int64_t>(f.where.size()));
  for (const auto& [name, value] : f.where) w.text(name), w.text(value);
}

Finding read(Reader& r) {
  Finding f;
  for (std::string* s : {&f.id, &f.message, &f.file}) *s = r.text();
  f.severity = static_cast<Severity>(r.number());
  f.line = static_cast<int>(r.number()), f.block = static_cast<int>(r.number()), f.count = r.number();
  for (std::int64_t n = r.number(); n > 0 && r.ok(); --n) {
    std::string name = r.text();
    f.where.emplace_back(std::move(name), r.text());
  }
  return f;
}

}  // namespace

std::string sealed(const Mail& mail) {
  Writer w;
  w.text(mail.answer), w.text(mail.report.target()), w.text(mail.report.kernel()), w.number(mail.report.blocks());
  w.number(static_cast<std::int64_t>(mail.report.findings().size()));
  for (const Finding& f : mail.report.findings()) write(w, f);
  return w.take();
}

Mail opened(const std::string& bytes) {
  Reader r(bytes);
  std::string answer = r.text(), target = r.text(), kernel = r.text();
  const int blocks = static_cast<int>(r.number());
  std::vector<Finding> findings;
  for (std::int64_t n = r.number(); n > 0 && r.ok(); --n) findings.push_back(read(r));
  if (!r.ok()) return {};
  return {std::move(answer), Report(std::move(target), std::move(kernel), blocks, std::move(findings))};
}

Mailbox::Mailbox() : file_(memfd_create("ptox mail", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "run_ranks: a rank's mailbox");
}
Mailbox::~Mailbox() {
  if (file_ >= 0) close(file_);
}

void Mailbox::write(const Mail& mail) const noexcept {
  const std::string bytes = sealed(mail);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(file_, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

Mail Mailbox::read() const {
  std::string bytes;
  char part[4096];
  for (off_t at = 0;;) {
    const ssize_t n = pread(file_, part, sizeof part, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return opened(bytes);
    bytes.append(part, static_cast<std::size_t>(n)), at += n;
  }
}

}  // namespace ptox::comm
