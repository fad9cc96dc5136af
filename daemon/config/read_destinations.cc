#include "daemon/config/read_destinations.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "core/schedule/definition.h"
#include "daemon/config/config.h"

namespace tenure::daemon {
namespace {

bool may_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

void read_keys(TableReader& reader, webhook::WebhookDestination& destination,
               format::Diagnostics& diagnostics, std::vector<std::string>& warnings) {
  const auto places = reader.texts("keys").value_or(std::vector<std::string>{});
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto key = webhook::load_signing_key(places[i]);
    if (const auto* unusable = std::get_if<webhook::UnusableKey>(&key))
      diagnostics.add(reader.place_in("keys", i), unusable->why,
                      "\"env:NAME\" or \"file:/path\" has the secret");
    else
      destination.keys.push_back(std::get<webhook::SigningKey>(std::move(key)));
    if (others_may(places[i].starts_with("file:") ? places[i].substr(5) : "",
                   std::filesystem::perms::others_read))
      warnings.push_back(
          fmt::format("every account of this machine can read the secret in {}: `chmod o-r` it",
                      format::printable(places[i].substr(5), 200)));
  }
}

void read_networks(TableReader& reader, webhook::WebhookDestination& destination,
                   format::Diagnostics& diagnostics) {
  const auto networks = reader.texts("allow").value_or(std::vector<std::string>{});
  for (std::size_t i = 0; i < networks.size(); ++i) {
    if (const auto network = webhook::read_ip_network(networks[i]))
      destination.allow.push_back(*network);
    else
      diagnostics.add(reader.place_in("allow", i), fmt::format("`{}` is no network", networks[i]),
                      "\"10.0.0.0/8\", \"fd00::/8\", or an address alone");
  }
}

// "url: it has …", as the room of webhooks says it, under the key that it is about, which has another name here.
void complain(TableReader& reader, const std::string& problem) {
  const std::size_t end = std::min(problem.find(':'), problem.size());
  std::string key = problem.substr(0, end);
  if (key == "secrets") key = "keys";
  if (key == "total_timeout") key = "timeout";
  reader.complain(key, key + problem.substr(end));
}

webhook::WebhookDestination read_destination(TableReader& reader, format::Diagnostics& diagnostics,
                                             std::vector<std::string>& warnings) {
  webhook::WebhookDestination destination;
  bool readable = true;
  const auto text = [&](std::string_view key, std::string& to) {
    if (auto given = reader.text(key))
      to = *std::move(given);
    else if (!reader.has(key))
      reader.complain(key, fmt::format("[[destination]] has no `{}`", key));
    if (reader.has(key) && to.empty()) reader.complain(key, fmt::format("`{}` is empty", key));
    readable = readable && !to.empty();
  };
  text("name", destination.name);
  text("url", destination.url);
  if (destination.name.size() > kDestinationBytes ||
      !std::all_of(destination.name.begin(), destination.name.end(), may_name))
    reader.complain("name",
                    fmt::format("`name` is up to {} letters, digits, `.`, `_` and `-`", kDestinationBytes));
  read_keys(reader, destination, diagnostics, warnings);
  read_networks(reader, destination, diagnostics);
  if (auto file = reader.text("ca_file")) {
    if (std::ifstream(*file).peek() == std::ifstream::traits_type::eof())  // also of a folder
      reader.complain("ca_file", fmt::format("`ca_file`: `{}` cannot be read, or is empty",
                                             format::printable(*file, 200)));
    destination.ca_file = *std::move(file);
  }
  const Duration least = Duration::millis(1);
  const Duration longest = Duration::minutes(5);
  if (const auto time = reader.duration("timeout", least, longest)) destination.total_timeout = *time;
  if (const auto time = reader.duration("connect_timeout", least, longest))
    destination.connect_timeout = *time;
  else
    destination.connect_timeout = std::min(destination.connect_timeout, destination.total_timeout);
  if (const auto most = reader.whole_number("in_flight", 1, 1'000))
    destination.in_flight = static_cast<std::size_t>(*most);
  reader.finish();
  if (readable)
    for (const std::string& problem : problems_of(destination)) complain(reader, problem);
  return destination;
}

}  // namespace

std::vector<webhook::WebhookDestination> read_destinations(TableReader& top, format::Diagnostics& diagnostics,
                                                           std::vector<std::string>& warnings) {
  std::vector<webhook::WebhookDestination> destinations;
  std::set<std::string> names;
  for (const format::Item* item : top.tables("destination")) {
    TableReader reader(item, "[[destination]]", diagnostics);
    webhook::WebhookDestination destination = read_destination(reader, diagnostics, warnings);
    if (!destination.name.empty() && !names.insert(destination.name).second)
      reader.complain("name", fmt::format("two destinations are called `{}`", destination.name));
    destinations.push_back(std::move(destination));
  }
  return destinations;
}

}  // namespace tenure::daemon
