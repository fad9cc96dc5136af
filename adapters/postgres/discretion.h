// What may be said of a connection string, which has a password in it.
//
// libpq quotes what it cannot read: a % that is no code, a value with a space, whatever it took for a port. Where a
// password has a character that means something in a URI, a part of it is taken for a host, a port or a database's
// name, and a server's own words have it then, too. So:
//
//   1. What libpq says of a string that it cannot read is never repeated: the cause is, in words of our own.
//   2. A string whose host, port or address cannot be one, or that has an @ too many, is refused before anybody
//      connects.
//   3. Of all that is said later, what stands in quotes is kept only if it is a plain name that the string gives for a
//      host, port, database, account or file; the rest is `…`. A password is taken out wherever it stands.
//
// Thread rule: pure, but that it reads the environment, as libpq does.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::postgres {

// Why libpq cannot read it, by what it says (untranslated or not), and what to do about it.
std::string unreadable(const std::string& libpq_says);
// What is wrong with one that libpq can read; empty when nothing is.
std::string misread(const std::string& conninfo);

class Discretion {
 public:
  explicit Discretion(const std::string& conninfo);

  // What the connection goes by, which a service file may have said.
  void learn(std::string_view host, std::string_view database);

  std::string clean(std::string_view message) const;
  // Itself, if it may be said.
  std::string name(std::string_view value) const;

 private:
  std::set<std::string> known_;
  std::vector<std::string> secrets_;
};

}  // namespace tenure::postgres
