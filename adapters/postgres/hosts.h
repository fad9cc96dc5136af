// What a connection string of libpq says: whether it is one, and the hosts that it names.
//
// Thread rule: pure, but that it reads the environment, as libpq does.
#pragma once

#include <string>
#include <vector>

namespace tenure::postgres {

// What is wrong with it; empty when nothing is. (A name without `=` and `://` is a database's.)
std::string problem_with(const std::string& words);

// What is said of one host, in libpq's words host, hostaddr and port. Empty: what the connection string says.
struct Host {
  std::string name;
  std::string address;
  std::string port;
};

// One by one, in order. A string that names one, none, or nothing that makes sense: one that is empty, for libpq to say
// what is wrong. (A list in a service file counts as one.)
std::vector<Host> hosts_of(const std::string& words);

}  // namespace tenure::postgres
