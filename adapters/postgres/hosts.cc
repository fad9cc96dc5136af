#include "adapters/postgres/hosts.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "adapters/postgres/redact_secrets.h"

namespace tenure::postgres {
namespace {

// "a,b" is two, and "" none.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  parts.emplace_back();
  for (const char c : list) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Of the i-th of several; one that is said once is said of all.
std::string of(const std::vector<std::string>& parts, std::size_t i) {
  if (parts.empty()) return {};
  return parts.size() == 1 ? parts.front() : parts.at(i);
}

// The server takes 63 bytes, poolers and proxies more; and at 10,000 it hangs up without a word.
constexpr std::size_t kLongestName = 1'000;

std::string too_long(std::string_view keyword, std::string_view name) {
  if (name.size() <= kLongestName) return {};
  return fmt::format("{} has {} bytes, and no name is that long", keyword, name.size());
}

}  // namespace

std::string problem_with(const std::string& conninfo) {
  if (conninfo.find('=') == std::string::npos && conninfo.find("://") == std::string::npos)
    return conninfo.size() > kLongestName ? too_long("dbname", conninfo) : misread(conninfo);
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(conninfo.c_str(), &problem), PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> owned(problem, PQfreemem);
  for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr; ++one) {
    const std::string_view keyword = one->keyword;
    if (one->val == nullptr ||
        (keyword != "host" && keyword != "dbname" && keyword != "user" && keyword != "application_name"))
      continue;
    for (const std::string& name : keyword == "host" ? split(one->val) : std::vector<std::string>{one->val})
      if (std::string wrong = too_long(keyword, name); !wrong.empty()) return wrong;
  }
  if (options != nullptr) return misread(conninfo);
  return problem == nullptr ? "no memory" : unreadable(problem);
}

std::vector<std::string> addresses_of(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.front() == '@') return {};
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &wanted, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
      addresses.emplace_back(text.data());
  }
  return addresses;
}

std::vector<ServerHost> by_address(const ServerHost& host, const LookUp& look_up) {
  const std::vector<std::string> known =
      host.address.empty() ? look_up(host.name) : std::vector<std::string>{};
  if (known.size() < 2) return {host};
  std::vector<ServerHost> each;
  for (const std::string& address : known) each.push_back({host.name, address, host.port});
  return each;
}

bool has_password(const std::string& conninfo) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(conninfo.c_str(), nullptr), PQconninfoFree);
  for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr; ++one)
    if (std::string_view(one->keyword) == "password") return one->val != nullptr && *one->val != '\0';
  return false;
}

std::vector<ServerHost> hosts_of(const std::string& conninfo) {
  const std::shared_ptr<PQconninfoOption> options(PQconninfoParse(conninfo.c_str(), nullptr), PQconninfoFree);
  const auto said = [&](std::string_view keyword, const char* variable) -> std::optional<std::string> {
    for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr; ++one)
      if (one->keyword == keyword && one->val != nullptr) return one->val;
    const char* value = std::getenv(variable);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  // What its file says comes before the environment.
  if (said("service", "PGSERVICE")) return {ServerHost{}};
  const auto names = split(said("host", "PGHOST").value_or(""));
  const auto addresses = split(said("hostaddr", "PGHOSTADDR").value_or(""));
  const auto ports = split(said("port", "PGPORT").value_or(""));
  const std::size_t count = std::max(names.size(), addresses.size());
  const auto fits = [&](const std::vector<std::string>& parts) {
    return parts.empty() || parts.size() == count;
  };
  if (count == 0 || !fits(names) || !fits(addresses) || !(fits(ports) || ports.size() == 1))
    return {ServerHost{}};
  std::vector<ServerHost> hosts;
  for (std::size_t i = 0; i < count; ++i) hosts.push_back({of(names, i), of(addresses, i), of(ports, i)});
  return hosts;
}

}  // namespace tenure::postgres
