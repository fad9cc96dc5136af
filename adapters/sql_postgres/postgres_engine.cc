#include "adapters/sql_postgres/postgres_engine.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/sql_postgres/server_pool.h"
#include "adapters/sql_postgres/session.h"
#include "core/base/check.h"
#include "core/base/host_failure.h"
#include "core/store/store_machine.h"
#include "sim/stores/session_store.h"
#include "sim/stores/statements/requests.h"

namespace tenure::sql_postgres {
namespace {

const statements::Request& statements_of(const Request& request) {
  const auto* family = message_as<statements::Request>(request);
  CHECK(family != nullptr, "a request of another store's family");
  return *family;
}

bool has_word(std::string text, const char* word) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.find(word) != std::string::npos;
}

// Whether it may change rows, or lock them, by its words alone.
bool may_lock_rows(const std::string& text) {
  const auto has = [&text](const char* word) { return has_word(text, word); };
  return has("insert") || has("update") || has("delete") || has("merge");
}

// No autovacuum looks at the tables. So what the planner knows of them is what it is told here, and its plans are the
// same each time.
constexpr const char* kAnalyze = R"sql(
DO $$
  DECLARE each regclass;
  BEGIN
    FOR each IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'm')
    LOOP EXECUTE format('ANALYZE %s', each); END LOOP;
  END
$$)sql";

// What a server does that comes up after a crash.
constexpr const char* kEmptyUnlogged = R"sql(
DO $$
  DECLARE each regclass;
  BEGIN
    FOR each IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND relpersistence = 'u'
    LOOP EXECUTE format('TRUNCATE %s RESTART IDENTITY', each); END LOOP;
  END
$$)sql";

// What Postgres answers the sessions that are there when it is shut down.
statements::SqlFailed shut_down() { return {"57P01", "terminating connection due to administrator command"}; }

class PostgresStore final : public StoreMachine, public SessionStore {
 public:
  PostgresStore(const std::string& schema, NumberParameters number) : schema_(schema), number_(number) {}
  ~PostgresStore() override {
    sessions_.clear();
    if (server_ != nullptr) give_back(std::move(server_));
  }
  PostgresStore(const PostgresStore&) = delete;
  PostgresStore& operator=(const PostgresStore&) = delete;

  // ---- StoreMachine ----
  bool handles(const Request& request) const override {
    return message_as<statements::Request>(request) != nullptr;
  }
  // Of a client that sets up the world: nobody else is there yet.
  Reply apply(const Request& request, StoreTime now, std::vector<Notification>&) override {
    std::optional<Reply> reply = begin({}, 0, request, now);
    CHECK(reply.has_value(), "nobody holds a lock before the start");
    return *std::move(reply);
  }
  RowLock lease_lock(const Request& request) const override {
    const auto locks = [](const auto& asked) {
      return std::any_of(asked.statements.begin(), asked.statements.end(),
                         [](const statements::SqlStatement& each) { return may_lock_rows(each.text); });
    };
    return std::visit(locks, statements_of(request)) ? RowLock::no_key_update : RowLock::none;
  }
  void promote(std::uint32_t) override { CHECK(false, "a server with sessions has no replica"); }
  std::unique_ptr<StoreMachine> clone() const override {
    CHECK(false, "a server with sessions cannot be copied");
    return nullptr;
  }
  void hash(Hasher&, StoreTime) const override { CHECK(false, "who hashes stores refuses designs"); }
  SessionStore* sessions() override { return this; }

  // ---- SessionStore ----
  std::optional<Reply> begin(const StoreSession& session, std::uint64_t ticket, const Request& request,
                             StoreTime now) override {
    set_now(now);
    if (auto broken = broken_.extract(session)) return statements::Reply{std::move(broken.mapped())};
    end_older_than(session);
    Session& with = session_of(session);
    std::optional<Reply> reply = with.begin(ticket, statements_of(request));
    if (gone_.contains(session.who)) with.close();
    end_what_is_over();
    let_go_on();
    return reply;
  }
  Completed take_completed() override { return std::exchange(completed_, {}); }
  bool waits_aside() const override { return false; }
  void client_is_gone(Incarnation who, StoreTime now) override {
    gone_.insert(who);
    if (server_ == nullptr) return;
    set_now(now);
    for (const auto& session : sessions_)
      if (session->name().who == who) session->close();
    end_what_is_over();
    let_go_on();
  }
  std::optional<StoreTime> next_time_out() const override {
    std::int64_t next = 0;
    for (const auto& session : sessions_) {
      const std::int64_t wakes = session->backend().wakes_us();
      if (wakes != 0 && (next == 0 || wakes < next)) next = wakes;
    }
    if (next == 0) return std::nullopt;
    return StoreTime{} + Duration::micros(next);
  }
  void time_out(StoreTime now) override {
    set_now(now);
    const std::int64_t now_us = (now - StoreTime{}).ns() / 1'000;
    for (const auto& session : sessions_) {
      const std::int64_t wakes = session->backend().wakes_us();
      if (wakes == 0 || wakes > now_us) continue;
      if (std::optional<Reply> reply = session->time_out())
        completed_.emplace_back(session->ticket(), *std::move(reply));
    }
    end_what_is_over();
    let_go_on();
  }
  void restart(StoreTime now) override {
    if (server_ == nullptr) return;
    set_now(now);
    for (const auto& session : sessions_)
      if (session->holds_something()) broken_.emplace(session->name(), shut_down());
    sessions_.clear();
    if (!has_word(schema_, "unlogged")) return;
    if (const std::optional<std::string> why = Backend(*server_).execute_all(kEmptyUnlogged))
      throw HostFailure("engine = \"postgres\": the end of a crash: " + *why);
  }

 private:
  void set_now(StoreTime now) {
    if (server_ == nullptr) {
      server_ = borrow_server();
      server_->set_now(now);
      Backend backend(*server_);
      if (const std::optional<std::string> why = backend.execute_all(schema_))
        throw HostFailure("engine = \"postgres\": the schema does not fit: " + *why);
      if (const std::optional<std::string> why = backend.execute_all(kAnalyze))
        throw HostFailure("engine = \"postgres\": ANALYZE: " + *why);
    }
    server_->set_now(now);
  }
  // Who has opened a new connection has closed the one before.
  void end_older_than(const StoreSession& newer) {
    for (const auto& session : sessions_) {
      const StoreSession& name = session->name();
      if (name.who == newer.who && name.part == newer.part && name.lane == newer.lane &&
          name.connection < newer.connection)
        session->close();
    }
    end_what_is_over();
    let_go_on();
  }
  Session& session_of(const StoreSession& name) {
    const auto known = std::find_if(sessions_.begin(), sessions_.end(),
                                    [&](const auto& session) { return session->name() == name; });
    if (known != sessions_.end()) return **known;
    return *sessions_.emplace_back(std::make_unique<Session>(*server_, name, number_));
  }
  void end_what_is_over() {
    std::erase_if(sessions_, [this](const auto& session) {
      if (session->ended_unnoticed()) broken_.emplace(session->name(), session->backend().end_of_session());
      return session->over();
    });
  }
  // One that goes on may free another one: each time the one that has waited for longest is the next.
  void let_go_on() {
    while (true) {
      Session* next = nullptr;
      for (const auto& session : sessions_)
        if (session->under_way() && (next == nullptr || session->ticket() < next->ticket()) &&
            session->backend().may_go_on())
          next = session.get();
      if (next == nullptr) return;
      if (std::optional<Reply> reply = next->go_on())
        completed_.emplace_back(next->ticket(), *std::move(reply));
      end_what_is_over();
    }
  }

  const std::string& schema_;
  NumberParameters number_;
  std::unique_ptr<Server> server_;                  // none: nothing was asked yet
  std::vector<std::unique_ptr<Session>> sessions_;  // in the order in which they were opened
  std::set<Incarnation> gone_;
  // They were lost with what they held, and their clients do not know yet. One that held nothing is opened again
  // unnoticed, as pools of connections do.
  std::map<StoreSession, statements::SqlFailed> broken_;
  Completed completed_;
};

struct SchemaOnPostgres {
  std::string text;
  NumberParameters number = nullptr;
  StoreKind kind;
};

}  // namespace

const StoreKind* store_kind(std::string_view schema, NumberParameters number) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<SchemaOnPostgres>, std::less<>> kinds;
  const std::lock_guard lock(mutex);
  if (const auto known = kinds.find(schema); known != kinds.end()) return &known->second->kind;
  auto made = std::make_unique<SchemaOnPostgres>();
  made->text = schema;
  made->number = number;
  made->kind.name = "postgres";
  made->kind.summary = "a schema of the user's own, on Postgres";
  made->kind.make = {made.get(), [](const void* of) -> std::unique_ptr<StoreMachine> {
                       const auto& which = *static_cast<const SchemaOnPostgres*>(of);
                       return std::make_unique<PostgresStore>(which.text, which.number);
                     }};
  made->kind.strongest_lease_lock = RowLock::no_key_update;
  made->kind.schema = made->text;
  made->kind.has_sessions = true;
  return &kinds.emplace(std::string(schema), std::move(made)).first->second->kind;
}

}  // namespace tenure::sql_postgres
