// What `tenured` is told: by tenured.toml, and by its flags.
//
// Thread rule: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "adapters/runtime/schedules.h"
#include "adapters/webhook/destination.h"
#include "core/base/time.h"

namespace tenure::daemon {

struct Endpoint {
  std::string address;  // of an interface; no name
  std::uint16_t port = 0;
  bool is_loopback() const { return address.starts_with("127.") || address == "::1"; }
  bool operator==(const Endpoint&) const = default;
};

// How much the schedules of a token may be together; none: as much as they like.
struct TokenQuota {
  std::optional<std::int64_t> schedules;
  std::optional<std::int64_t> fires_per_second;
  bool operator==(const TokenQuota&) const = default;
};

// Who may do what, besides clients of this machine.
struct AccessToken {
  std::string name;
  std::string sha256;  // of the token, in 64 lower-case hexadecimal digits
  bool read = false;
  bool write = false;
  bool admin = false;
  std::string prefix;     // it may only touch schedules whose names begin so
  TokenQuota quota = {};  // of the schedules whose names begin so
  bool operator==(const AccessToken&) const = default;
};

struct DaemonConfig {
  std::string store = "tenure.db";  // a file of SQLite, or Postgres by its connection string
  bool pooled = false;              // a pool stands before that Postgres (PostgresOptions)
  std::int64_t connections = 4;     // to the store, for clients; the scheduler has two of its own
  std::uint32_t node = 0;           // 0: the store gives it one
  Duration drain = Duration::seconds(20);

  Endpoint listen{"127.0.0.1", 8420};
  std::optional<Endpoint> health;     // a listener for nothing but health
  bool insecure = false;              // others than this machine may come without TLS
  bool loopback_needs_token = false;  // unless said: if there are tokens, or others know us by name
  std::vector<std::string> hosts;     // under which clients know us, besides the addresses that we listen on
  std::int64_t http_threads = 2;
  std::int64_t http_connections = 256;
  Duration http_idle = Duration::seconds(30);
  Duration http_request = Duration::seconds(10);
  std::int64_t streams = 32;

  bool log_json = false;
  std::string journal;  // empty: none
  std::int64_t journal_keep = 0;

  Parameters election = ElectionOptions::default_election();
  Parameters scheduling = SchedulesOptions::default_scheduling();
  std::vector<std::string> accept;

  std::vector<AccessToken> tokens;
  std::vector<webhook::WebhookDestination> destinations;
};

// Whether the store's name is a connection string of Postgres.
bool is_postgres(const std::string& store);
// For people and logs: a connection string may have a password, so only what kind of store it is.
std::string shown_store(const std::string& store);

// Whether accounts other than the file's owner and its group have this right. False: there is no such file.
bool others_may(const std::string& path, std::filesystem::perms what);

}  // namespace tenure::daemon
