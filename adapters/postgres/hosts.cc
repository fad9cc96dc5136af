#include "adapters/postgres/hosts.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

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

}  // namespace

std::string problem_with(const std::string& words) {
  if (words.find('=') == std::string::npos && words.find("://") == std::string::npos) return {};
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(words.c_str(), &problem), PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> owned(problem, PQfreemem);
  if (options != nullptr) return {};
  std::string text = problem == nullptr ? "no memory" : problem;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::vector<Host> hosts_of(const std::string& words) {
  const std::shared_ptr<PQconninfoOption> options(PQconninfoParse(words.c_str(), nullptr), PQconninfoFree);
  const auto said = [&](std::string_view keyword, const char* variable) {
    for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr; ++one)
      if (one->keyword == keyword && one->val != nullptr) return split(one->val);
    const char* value = std::getenv(variable);
    return split(value == nullptr ? "" : value);
  };
  const auto names = said("host", "PGHOST");
  const auto addresses = said("hostaddr", "PGHOSTADDR");
  const auto ports = said("port", "PGPORT");
  const std::size_t count = std::max(names.size(), addresses.size());
  const auto fits = [&](const std::vector<std::string>& parts) {
    return parts.empty() || parts.size() == count;
  };
  if (count < 2 || !fits(names) || !fits(addresses) || !(fits(ports) || ports.size() == 1)) return {Host{}};
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < count; ++i) hosts.push_back({of(names, i), of(addresses, i), of(ports, i)});
  return hosts;
}

}  // namespace tenure::postgres
