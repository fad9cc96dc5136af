// What messages may say about a connection string, which contains a password.
//
// libpq quotes what it cannot read: a % that is no code, a value with a space, a wrong port. If a password has a
// character with a meaning in a URI, libpq takes a part of it for a host, a port or a database's name, and then a
// server's own messages contain it, too. So:
//
//   1. libpq's message about a string that it cannot read is never repeated. We name the cause in our own words.
//   2. A string with an impossible host, port or address, or with an @ too many, is refused before any connection.
//   3. In all later messages, quoted text stays only if it is a plain name that the string gives for a host, port,
//      database, account or file; other quoted text becomes `…`. The password is removed everywhere.
//
// Thread rule: pure, except that it reads the environment, as libpq does.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::postgres {

// Why libpq cannot read the string, from its message (translated or not), and what to do about it.
std::string unreadable(const std::string& libpq_says);
// What is wrong with a string that libpq can read; empty when nothing is.
std::string misread(const std::string& conninfo);

class SecretRedactor {
 public:
  explicit SecretRedactor(const std::string& conninfo);

  // Learns the connection's host and database, which may come from a service file.
  void learn(std::string_view host, std::string_view database);

  std::string clean(std::string_view message) const;
  // The value itself, if it may be shown.
  std::string name(std::string_view value) const;

 private:
  std::set<std::string> known_;
  std::vector<std::string> secrets_;
};

}  // namespace tenure::postgres
