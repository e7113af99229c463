// SPDX-License-Identifier: Apache-2.0
#include "comm/group/mail.hpp"

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

void write(Writer& w, const FindingValue& v) {
  w.number(static_cast<std::int64_t>(v.field));
  const std::int64_t* number = std::get_if<std::int64_t>(&v.value);
  w.number(number ? 1 : 0);
  number ? w.number(*number) : w.text(std::get<std::string>(v.value));
}

FindingValue read_value(Reader& r) {
  const auto field = static_cast<FindingField>(r.number());
  return r.number() ? FindingValue(field, r.number()) : FindingValue(field, r.text());
}

void write(Writer& w, const Finding& f) {
  for (std::int64_t n : {static_cast<std::int64_t>(f.kind), static_cast<std::int64_t>(f.severity), std::int64_t{f.line},
                         std::int64_t{f.block}, f.count})
    w.number(n);
  w.text(f.message), w.text(f.file);
  w.number(static_cast<std::int64_t>(f.where.size()));
  for (const FindingValue& v : f.where) write(w, v);
}

Finding read(Reader& r) {
  Finding f{.kind = static_cast<FindingKind>(r.number())};
  f.severity = static_cast<Severity>(r.number());
  f.line = static_cast<int>(r.number()), f.block = static_cast<int>(r.number()), f.count = r.number();
  f.message = r.text(), f.file = r.text();
  for (std::int64_t n = r.number(); n > 0 && r.ok(); --n) f.where.push_back(read_value(r));
  return f;
}

void write(Writer& w, const Report& report) {
  w.text(report.target()), w.text(report.kernel()), w.number(report.blocks());
  w.number(static_cast<std::int64_t>(report.findings().size()));
  for (const Finding& f : report.findings()) write(w, f);
}

Report read_report(Reader& r) {
  std::string target = r.text(), kernel = r.text();
  const int blocks = static_cast<int>(r.number());
  std::vector<Finding> findings;
  for (std::int64_t n = r.number(); n > 0 && r.ok(); --n) findings.push_back(read(r));
  return Report(std::move(target), std::move(kernel), blocks, std::move(findings));
}

}  // namespace

std::string sealed(const Mail& mail) {
  Writer w;
  w.text(mail.answer), write(w, mail.report), write(w, mail.launches);
  return w.take();
}

Mail opened(const std::string& bytes) {
  Reader r(bytes);
  Mail mail;
  mail.answer = r.text(), mail.report = read_report(r), mail.launches = read_report(r);
  return r.ok() ? std::move(mail) : Mail();
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
