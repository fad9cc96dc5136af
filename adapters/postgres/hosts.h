// Reads a connection string of libpq: whether it is valid, and the hosts that it names.
//
// libpq tries the addresses of a name one after the other. But without its blocking calls it stays at a silent address
// until its caller gives up. So addresses are looked up here. A look-up may block for long, so a name is looked up only
// after the names before it have been tried.
//
// Thread rule: pure, except that it reads the environment and asks the resolver, as libpq does.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tenure::postgres {

// What is wrong with the string, without quoting it (redact_secrets.h); empty when nothing is. (A name without `=` and
// `://` is a database's.)
std::string problem_with(const std::string& conninfo);

// One host, as libpq's host, hostaddr and port. Empty: as in the connection string.
struct ServerHost {
  std::string name;
  std::string address;
  std::string port;
};

// The hosts in order, without a look-up. If none is named, or they make no sense: one empty host, and libpq says what
// is wrong. (Also for a service: libpq reads its file.)
std::vector<ServerHost> hosts_of(const std::string& conninfo);

// Whether it is in the text itself, and not in a file or the environment.
bool has_password(const std::string& conninfo);

// The numeric addresses of a name, in the system's order; empty for an unknown name or a socket's path.
std::vector<std::string> addresses_of(const std::string& name);

// One host for each address of its name; the host itself if it has an address, or its name has only one.
using LookUp = std::function<std::vector<std::string>(const std::string& name)>;
std::vector<ServerHost> by_address(const ServerHost& host, const LookUp& look_up = addresses_of);

}  // namespace tenure::postgres
