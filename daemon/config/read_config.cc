#include "daemon/config/read_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/model/parameters.h"
#include "core/scheduler/scheduler_kind.h"
#include "core/store/reference/named.h"
#include "daemon/config/endpoint.h"
#include "daemon/config/read_destinations.h"
#include "daemon/config/table_reader.h"

namespace tenure::daemon {
namespace {

using format::Item;

// Of a token with a prefix, unless it says something else: one of several, of whom none shall keep the others waiting.
constexpr std::int64_t kUsualSchedules = 10'000;
constexpr std::int64_t kUsualFires = 100;
constexpr std::int64_t kMostOfQuota = 1'000'000;

// What `sha256sum` says when $TOKEN was not set.
constexpr std::string_view kHashOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::optional<std::int64_t> read_value(TableReader& table, const ParameterSpec& spec) {
  switch (spec.type) {
    case ParameterSpec::Type::duration: {
      const auto read = table.duration(spec.name, Duration::nanos(spec.min), Duration::nanos(spec.max));
      return read ? std::optional(read->ns()) : std::nullopt;
    }
    case ParameterSpec::Type::boolean: {
      const auto read = table.flag(spec.name);
      return read ? std::optional<std::int64_t>(*read ? 1 : 0) : std::nullopt;
    }
    case ParameterSpec::Type::choice: {
      const auto read = table.choice(spec.name, spec.choices);
      return read ? std::optional(static_cast<std::int64_t>(*read)) : std::nullopt;
    }
    case ParameterSpec::Type::count:
    case ParameterSpec::Type::ppm: break;
  }
  return table.whole_number(spec.name, spec.min, spec.max);
}

// Of the election or the scheduler: those that are given and well-formed replace what `parameters` has.
void read_parameters(TableReader& table, Parameters& parameters) {
  const std::span<const ParameterSpec> specs = parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (const auto value = read_value(table, specs[i])) parameters.set(static_cast<int>(i), *value);
}

class ConfigReader {
 public:
  ConfigReader(const Item& file, format::Diagnostics& diagnostics)
      : diagnostics_(diagnostics), top_(&file, "", diagnostics) {}

  DaemonConfig read() {
    if (auto store = top_.text("store")) config_.store = *std::move(store);
    check_store();
    if (const auto pooled = top_.flag("pooled")) config_.pooled = *pooled;
    if (config_.pooled && !is_postgres(config_.store))
      top_.complain("pooled", "`pooled` is for Postgres", "`store` is a file of SQLite");
    if (const auto count = top_.whole_number("connections", 1, 64)) config_.connections = *count;
    if (const auto node = top_.whole_number("node", 1, reference::kFirstRegistered - 1))
      config_.node = static_cast<std::uint32_t>(*node);
    if (const auto drain = top_.duration("drain", Duration{}, Duration::minutes(10))) config_.drain = *drain;
    if (auto journal = top_.text("journal")) config_.journal = *std::move(journal);
    if (const auto keep = top_.whole_number("journal_keep", 0, 1'000'000)) config_.journal_keep = *keep;
    constexpr std::array<std::string_view, 2> kLogs = {"text", "json"};
    if (const auto log = top_.choice("log", kLogs)) config_.log_json = *log == 1;
    http();
    parameters();
    tokens();
    config_.loopback_needs_token = loopback_needs_token_.value_or(others_are_expected());
    config_.destinations = read_destinations(top_, diagnostics_, warnings_);
    top_.finish();
    return std::move(config_);
  }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  void check_store() {
    const std::string& store = config_.store;
    if (store.empty()) top_.complain("store", "`store` is empty", "a file, or postgres://…");
    if (store.starts_with(":memory:"))
      top_.complain("store", "each connection would have a database of its own", "a file, which is kept");
    const std::size_t scheme = store.find("://");
    const bool is_url = scheme != std::string::npos && store.find_first_of("= ") > scheme;
    if (is_url && !store.starts_with("postgres://") && !store.starts_with("postgresql://"))
      top_.complain("store", fmt::format("nothing is known of stores at {}://", store.substr(0, scheme)),
                    "a file, or postgres://…");
  }
  void http() {
    TableReader http(top_.table("http"), "[http]", diagnostics_);
    if (const auto listen = endpoint(http, "listen")) config_.listen = *listen;
    config_.health = endpoint(http, "health");
    if (const auto insecure = http.flag("insecure")) config_.insecure = *insecure;
    loopback_needs_token_ = http.flag("loopback_needs_token");
    if (auto hosts = http.texts("hosts")) config_.hosts = *std::move(hosts);
    if (const auto threads = http.whole_number("threads", 1, 64)) config_.http_threads = *threads;
    if (const auto most = http.whole_number("connections", 8, 100'000)) config_.http_connections = *most;
    if (const auto streams = http.whole_number("streams", 0, 10'000)) config_.streams = *streams;
    const Duration least = Duration::millis(100);
    const Duration longest = Duration::minutes(10);
    if (const auto idle = http.duration("idle_time", least, longest)) config_.http_idle = *idle;
    if (const auto time = http.duration("request_time", least, longest)) config_.http_request = *time;
    http.finish();
    for (std::size_t i = 0; i < config_.hosts.size(); ++i)
      if (config_.hosts[i].empty() || config_.hosts[i].find_first_of(":/ *") != std::string::npos)
        diagnostics_.add(http.place_in("hosts", i),
                         fmt::format("`{}` is no name of a host", config_.hosts[i]),
                         "without scheme, port and path, and each by itself");
    if (config_.streams > config_.http_connections)
      http.complain("streams", "there are more `streams` than `connections`", "each stream has a connection");
    if (config_.health == config_.listen)
      http.complain("health", "`health` is where `listen` is", "it is a listener of its own");
    check_exposure(http);
  }
  static std::optional<Endpoint> endpoint(TableReader& table, std::string_view key) {
    const auto text = table.text(key);
    if (!text) return std::nullopt;
    auto read = read_endpoint(*text);
    if (const auto* why = std::get_if<std::string>(&read)) {
      table.complain(key, *why, "\"127.0.0.1:8420\", \"[::1]:8420\"");
      return std::nullopt;
    }
    return std::get<Endpoint>(read);
  }
  // Whoever gives out tokens, or is known by another name, is mostly reached through a proxy of this machine, which may
  // not say that it is one (docs/adr/0065).
  bool others_are_expected() const {
    const auto is_of_another_machine = [](const std::string& host) {
      const auto same = [](char a, char b) { return a == b || (b >= 'a' && a == b - 'a' + 'A'); };
      return !std::ranges::equal(host, std::string_view("localhost"), same) && !host.starts_with("127.");
    };
    return !config_.tokens.empty() || !config_.listen.is_loopback() ||
           std::any_of(config_.hosts.begin(), config_.hosts.end(), is_of_another_machine);
  }
  // What others than this machine reach is protected, or said not to be.
  void check_exposure(TableReader& http) {
    if (config_.listen.is_loopback()) return;
    if (!config_.insecure)
      http.complain("listen",
                    fmt::format("{} can be reached from elsewhere, and has no TLS", text_of(config_.listen)),
                    "listen on 127.0.0.1 behind a proxy with TLS, or say `insecure = true`");
    if (!top_.has("token"))
      http.complain(
          "listen",
          fmt::format("{} can be reached from elsewhere, and there is no [[token]]", text_of(config_.listen)),
          "nobody else could ask for anything");
    const bool any = config_.listen.address == "0.0.0.0" || config_.listen.address == "::";
    if (any && config_.hosts.empty())
      http.complain(
          "listen",
          fmt::format("{} is every address, and no `hosts` say which names are ours", config_.listen.address),
          "hosts = [\"tenure.example.org\"]");
  }

  void parameters() {
    TableReader election(top_.table("election"), "[election]", diagnostics_);
    TableReader scheduling(top_.table("scheduling"), "[scheduling]", diagnostics_);
    read_parameters(election, config_.election);
    read_parameters(scheduling, config_.scheduling);
    election.finish();
    scheduling.finish();
    if (auto accept = top_.texts("accept")) config_.accept = *std::move(accept);

    std::vector<Complaint> needed;
    const auto judge_part = [&](TableReader& table, const std::vector<Complaint>& complaints) {
      for (const Complaint& complaint : complaints) {
        const bool accepted =
            std::find(config_.accept.begin(), config_.accept.end(), complaint.accept) != config_.accept.end();
        if (!complaint.accept.empty()) needed.push_back(complaint);
        if (!complaint.accept.empty() && (accepted || complaint.warning)) {
          if (!accepted) warnings_.push_back(complaint.text);
          continue;
        }
        table.complain(
            complaint.parameter, (complaint.accept.empty() ? "" : "unsafe: ") + complaint.text,
            complaint.accept.empty()
                ? std::string{}
                : fmt::format("`accept = [\"{}\"]` at the top takes it on purpose", complaint.accept));
      }
    };
    judge_part(election, complaints_of_election(config_.election));
    judge_part(scheduling, complaints_of_scheduling());
    for (std::size_t i = 0; i < config_.accept.size(); ++i) {
      const std::string& name = config_.accept[i];
      const bool is_needed = std::any_of(
          needed.begin(), needed.end(), [&](const Complaint& complaint) { return complaint.accept == name; });
      if (!is_needed)
        diagnostics_.add(top_.place_in("accept", i),
                         fmt::format("no setting needs `{}` to be accepted", name), "take it out");
    }
  }
  std::vector<Complaint> complaints_of_scheduling() const {
    std::vector<Complaint> complaints = out_of_range(config_.scheduling);
    if (!complaints.empty()) return complaints;
    return kFencedOutbox.validate(config_.scheduling);
  }

  void tokens() {
    std::set<std::string> names, hashes;
    for (const Item* item : top_.tables("token")) {
      TableReader reader(item, "[[token]]", diagnostics_);
      AccessToken token = read_token(reader);
      if (!token.name.empty() && !names.insert(token.name).second)
        reader.complain("name", fmt::format("two tokens are called `{}`", token.name));
      if (!token.sha256.empty() && !hashes.insert(token.sha256).second)
        reader.complain("sha256", "two tokens are the same", "nobody could tell their scopes apart");
      config_.tokens.push_back(std::move(token));
    }
  }
  static AccessToken read_token(TableReader& reader) {
    AccessToken token;
    if (auto name = reader.text("name"))
      token.name = *std::move(name);
    else if (!reader.has("name"))
      reader.complain("name", "[[token]] has no `name`", "the log names its actor by it");
    if (reader.has("name"))
      if (const std::string why = reference::problem_of_name(token.name); !why.empty())
        reader.complain("name", why);
    if (token.name == "local" || token.name == "retention")
      reader.complain("name", fmt::format("`{}` is an actor of tenured's own", token.name),
                      "the log names its actor by it");
    if (auto hash = reader.text("sha256"))
      token.sha256 = *std::move(hash);
    else if (!reader.has("sha256"))
      reader.complain("sha256", "[[token]] has no `sha256`", "printf %s \"$TOKEN\" | sha256sum");
    const bool is_hash =
        token.sha256.size() == 64 && token.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!token.sha256.empty() && !is_hash)
      reader.complain("sha256", "`sha256` must be 64 hexadecimal digits, in lower case",
                      "printf %s \"$TOKEN\" | sha256sum");
    if (token.sha256 == kHashOfNothing)
      reader.complain("sha256", "`sha256` is that of an empty text", "printf %s \"$TOKEN\" | sha256sum");
    const auto scopes = reader.texts("scopes");
    if (scopes && scopes->empty())
      reader.complain("scopes", "`scopes` is empty, and the token may do nothing",
                      "\"read\", \"write\", \"admin\"");
    if (!reader.has("scopes"))
      reader.complain("scopes", "[[token]] has no `scopes`", "\"read\", \"write\", \"admin\"");
    for (const std::string& scope : scopes.value_or(std::vector<std::string>{})) {
      // Who may do more, may do less.
      token.admin = token.admin || scope == "admin";
      token.write = token.write || scope == "write" || scope == "admin";
      token.read = token.read || scope == "read" || scope == "write" || scope == "admin";
      if (scope != "read" && scope != "write" && scope != "admin")
        reader.complain("scopes", fmt::format("`{}` is no scope", scope), "\"read\", \"write\", \"admin\"");
    }
    if (auto prefix = reader.text("prefix")) token.prefix = *std::move(prefix);
    if (!token.prefix.empty() && !reference::problem_of_name(token.prefix + "a").empty())
      reader.complain("prefix", "no name of a schedule begins so, and the token could touch none",
                      "names have letters, digits, `.`, `_` and `-`, and begin with a letter or a digit");
    token.quota = {.schedules = reader.whole_number("max_schedules", 1, kMostOfQuota),
                   .fires_per_second = reader.whole_number("max_fires_per_second", 1, kMostOfQuota)};
    if (!token.prefix.empty()) {
      if (!token.quota.schedules) token.quota.schedules = kUsualSchedules;
      if (!token.quota.fires_per_second) token.quota.fires_per_second = kUsualFires;
    }
    reader.finish();
    return token;
  }

  format::Diagnostics& diagnostics_;
  TableReader top_;
  DaemonConfig config_;
  std::optional<bool> loopback_needs_token_;  // as it was said
  std::vector<std::string> warnings_;
};

}  // namespace

ConfigRead read_config(std::string_view text, std::string_view path, std::span<const format::Override> sets) {
  format::Diagnostics diagnostics(path, text, sets);
  const Item file = format::read_document(text, sets, diagnostics);
  ConfigReader reader(file, diagnostics);
  ConfigRead read;
  DaemonConfig config = reader.read();
  read.warnings = reader.take_warnings();
  if (diagnostics.count() == 0) read.config = std::move(config);
  read.errors = diagnostics.take();
  return read;
}

}  // namespace tenure::daemon
