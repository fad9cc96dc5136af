#include "cli/live/live_store.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "adapters/local_postgres/postgres_server.h"
#include "adapters/loopback/tcp_proxy.h"
#include "adapters/postgres/redact_secrets.h"
#include "cli/live/store_place.h"
#include "core/base/host_failure.h"

namespace tenure::cli {
namespace {

using local_postgres::HeldLock;
using local_postgres::PostgresServer;
using loopback::TcpProxy;

constexpr std::string_view kSqlite = "sqlite:";
constexpr std::string_view kForeign = "127.0.0.1:";

// ---- SQLite ------------------------------------------------------------------------------------------------

class SqliteFile final : public LiveStore {
 public:
  explicit SqliteFile(std::string path) : path_(std::move(path)) {}
  ~SqliteFile() override { let_lease_row_go(); }

  std::string place_for(std::optional<NodeId>) const override { return path_; }
  std::string hold_lease_row(bool) override {
    constexpr int kWaitMs = 2'000;
    if (sqlite3_open_v2(path_.c_str(), &session_, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
      sqlite3_busy_timeout(session_, kWaitMs);
      if (sqlite3_exec(session_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    }
    std::string why = sqlite3_errmsg(session_);
    let_lease_row_go();
    return why;
  }
  void let_lease_row_go() override { sqlite3_close(std::exchange(session_, nullptr)); }

 private:
  const std::string path_;
  sqlite3* session_ = nullptr;
};

std::unique_ptr<LiveStore> make_file(std::string file, std::string& problem) {
  std::error_code error;
  file = std::filesystem::absolute(file, error).string();
  if (std::filesystem::exists(file, error)) {
    problem = fmt::format(
        "{} is there already: a live run needs a store of its own, so that nothing of yours is touched; name "
        "a file "
        "that is not there",
        file);
    return nullptr;
  }
  if (access(std::filesystem::path(file).parent_path().c_str(), W_OK) != 0) {
    problem = fmt::format("cannot make {}: {}", file, std::strerror(errno));
    return nullptr;
  }
  return std::make_unique<SqliteFile>(std::move(file));
}

// ---- Postgres ----------------------------------------------------------------------------------------------

using Session = std::unique_ptr<PGconn, void (*)(PGconn*)>;

Session open_session(const std::string& place) { return {PQconnectdb(place.c_str()), PQfinish}; }

// Empty: it was done.
std::string ask(const Session& session, const std::string& sql) {
  PGresult* const result = PQexec(session.get(), sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  PQclear(result);
  const bool done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  return done ? std::string() : std::string(PQerrorMessage(session.get()));
}

std::string lock_sql(bool exclusive) {
  return fmt::format("SELECT 1 FROM tenure.lease {}", exclusive ? "FOR UPDATE" : "FOR KEY SHARE");
}

// A database of its own on a server of the user's.
class Database final : public LiveStore {
 public:
  Database(Session session, std::string name, std::string place)
      : session_(std::move(session)), name_(std::move(name)), place_(std::move(place)) {}
  ~Database() override {
    lock_.reset();
    ask(session_, fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", name_));
  }

  std::string place_for(std::optional<NodeId>) const override { return place_; }
  std::string hold_lease_row(bool exclusive) override {
    try {
      lock_.emplace(place_, lock_sql(exclusive));
      return {};
    } catch (const HostFailure& failure) {
      return failure.what();
    }
  }
  void let_lease_row_go() override { lock_.reset(); }

 private:
  Session session_;
  const std::string name_;
  const std::string place_;
  std::optional<HeldLock> lock_;
};

// The same connection string with another database.
std::string with_database(const std::string& place, const std::string& name) {
  std::string text;
  PQconninfoOption* const options = PQconninfoParse(place.c_str(), nullptr);
  for (const PQconninfoOption* each = options; each != nullptr && each->keyword != nullptr; ++each) {
    if (each->val == nullptr || std::string_view(each->keyword) == "dbname") continue;
    text += fmt::format("{}='", each->keyword);
    for (const char* letter = each->val; *letter != '\0'; ++letter) {
      if (*letter == '\'' || *letter == '\\') text += '\\';
      text += *letter;
    }
    text += "' ";
  }
  PQconninfoFree(options);
  return text + "dbname=" + name;
}

std::unique_ptr<LiveStore> make_database(const std::string& place, std::uint64_t run, std::string& problem) {
  if (std::string wrong = postgres::misread(place); !wrong.empty()) {
    problem = std::move(wrong);
    return nullptr;
  }
  Session session = open_session(place);
  std::string why =
      PQstatus(session.get()) == CONNECTION_OK ? std::string() : std::string(PQerrorMessage(session.get()));
  const std::string name = fmt::format("tenure_live_{}_{}", getpid(), run);
  if (why.empty()) why = ask(session, "CREATE DATABASE " + name);
  while (!why.empty() && why.back() == '\n') why.pop_back();
  if (!why.empty()) {
    problem =
        fmt::format("cannot make a database for the run: {}", postgres::SecretRedactor(place).clean(why));
    return nullptr;
  }
  return std::make_unique<Database>(std::move(session), name, with_database(place, name));
}

loopback::DirectionRule rule_of(const lab::WayRule& rule) {
  loopback::DirectionRule made;
  made.hang = rule.hangs;
  made.swallow = rule.swallows;
  made.delay = rule.delay;
  made.cut_ppm = static_cast<std::uint32_t>(rule.lost_ppm);
  return made;
}

// A way to a server for each instance, and one that nothing breaks.
class Proxied : public LiveStore {
 public:
  void set_links(NodeId node, const lab::WayRules& rules) override {
    Way& way = ways_.at(node);
    if (std::exchange(way.rules, rules) == rules) return;
    way.proxy->set(loopback::Direction::to_server, rule_of(rules.to_store));
    way.proxy->set(loopback::Direction::to_client, rule_of(rules.from_store));
    way.proxy->refuse(rules.refused);
    if (rules.refused) way.proxy->cut_all();
  }
  void break_connections(NodeId node) override { ways_.at(node).proxy->cut_all(); }

 protected:
  void make_ways(const loopback::ServerAddress& server, const LiveStoreOptions& options) {
    client_ = std::make_unique<TcpProxy>(server, options.seed);
    for (std::uint32_t i = 0; i < options.instances; ++i)
      ways_[NodeId{i}].proxy = std::make_unique<TcpProxy>(server, options.seed + i + 1);
  }
  std::uint16_t port_for(std::optional<NodeId> node) const {
    return (node ? *ways_.at(*node).proxy : *client_).port();
  }
  void move_to(const loopback::ServerAddress& server) {
    client_->set_server(server);
    client_->cut_all();
    for (const auto& [node, way] : ways_) {
      way.proxy->set_server(server);
      way.proxy->cut_all();
    }
  }

 private:
  struct Way {
    std::unique_ptr<TcpProxy> proxy;
    lab::WayRules rules;
  };
  std::unique_ptr<TcpProxy> client_;
  std::map<NodeId, Way> ways_;
};

// A server of the user's of any kind, of which only its address is known.
class ForeignServer final : public Proxied {
 public:
  ForeignServer(std::uint16_t port, const LiveStoreOptions& options) { make_ways({.port = port}, options); }

  std::string place_for(std::optional<NodeId> node) const override {
    return fmt::format("127.0.0.1:{}", port_for(node));
  }
  std::string hold_lease_row(bool) override { return "its rows are not known"; }
  void let_lease_row_go() override {}
};

// A server of our own.
class Server final : public Proxied {
 public:
  explicit Server(const LiveStoreOptions& options)
      : server_(
            std::make_unique<PostgresServer>(local_postgres::LocalPostgres{.asker = "--store postgres"})) {
    if (options.replica) make_replica();
    make_ways(server_->address(), options);
  }

  std::string place_for(std::optional<NodeId> node) const override {
    return server_->connection(port_for(node));
  }
  std::string hold_lease_row(bool exclusive) override {
    try {
      lock_.emplace(server_->connection(), lock_sql(exclusive));
      return {};
    } catch (const HostFailure& failure) {
      return failure.what();
    }
  }
  void let_lease_row_go() override { lock_.reset(); }

  void stall_replica() override {
    if (replica_ == nullptr) make_replica();
    const Session session = open_session(replica_->connection());
    ask(session, "ALTER SYSTEM SET primary_conninfo = ''");
    ask(session, "SELECT pg_reload_conf()");
  }
  void fail_over() override {
    if (replica_ == nullptr) make_replica();
    lock_.reset();
    server_->crash();  // fenced off: it answers nobody any more
    replica_->promote();
    server_ = std::move(replica_);
    move_to(server_->address());
  }

 private:
  void make_replica() { replica_ = std::make_unique<PostgresServer>(server_->make_replica()); }

  std::unique_ptr<PostgresServer> server_;
  std::unique_ptr<PostgresServer> replica_;  // null: the next failover makes one, which takes some seconds
  std::optional<HeldLock> lock_;
};

}  // namespace

std::optional<std::uint16_t> foreign_port(std::string_view store) {
  if (!store.starts_with(kForeign)) return std::nullopt;
  store.remove_prefix(kForeign.size());
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(store.data(), store.data() + store.size(), port);
  const bool good = error == std::errc() && end == store.data() + store.size() && port != 0;
  return good ? std::optional(port) : std::nullopt;
}

std::unique_ptr<LiveStore> make_live_store(const LiveStoreOptions& options, std::string& problem) {
  if (options.store == "sqlite") return make_file(options.folder + "/store.db", problem);
  if (options.store.starts_with(kSqlite))
    return make_file(
        options.store.substr(kSqlite.size()) + (options.run > 1 ? fmt::format(".{}", options.run) : ""),
        problem);
  if (const auto port = foreign_port(options.store)) return std::make_unique<ForeignServer>(*port, options);
  if (options.store == "postgres") return std::make_unique<Server>(options);
  return make_database(options.store, options.run, problem);
}

}  // namespace tenure::cli
