// What a connection string of libpq says: whether it is one, and the hosts that it names.
//
// libpq tries the addresses of a name one after the other, but without its blocking calls it stays at one that says
// nothing until whoever polls it gives up. So addresses are looked up here. A look-up may block for long: a name's is
// due when the names before it have been tried.
//
// Thread rule: pure, but that it reads the environment and asks the resolver, as libpq does.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tenure::postgres {

// What is wrong with it, without a word of it (discretion.h); empty when nothing is. (A name without `=` and `://` is a
// database's.)
std::string problem_with(const std::string& conninfo);

// What is said of one host, in libpq's words host, hostaddr and port. Empty: what the connection string says.
struct ServerHost {
  std::string name;
  std::string address;
  std::string port;
};

// One by one, in order, without a look-up. Where nothing is named, or nothing that makes sense: one that is empty, for
// libpq to say what is wrong. (So is one that names a service: its file is for libpq to read.)
std::vector<ServerHost> hosts_of(const std::string& conninfo);

// The addresses of a name, in numbers and in the system's order; none where it is not known, or is a socket's path.
std::vector<std::string> addresses_of(const std::string& name);

// One for each address of its name; itself, where it says an address or its name has no more than one.
using LookUp = std::function<std::vector<std::string>(const std::string& name)>;
std::vector<ServerHost> by_address(const ServerHost& host, const LookUp& look_up = addresses_of);

}  // namespace tenure::postgres
