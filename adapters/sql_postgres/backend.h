// One client's connection, and the backend that serves it.
//
// A backend runs when it is told to, until it has answered or sleeps again. That it sleeps is no sign that it waits:
// only a lock that another backend holds is, or a sleep with an end (pg_sleep). Until then it is busy.
//
//   I1. Between two calls it does not run, and so changes nothing that others see.
//
// Thread rule: as Server.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "adapters/sql_postgres/server.h"
#include "sim/stores/statements/requests.h"

struct pg_result;  // libpq's

namespace tenure::sql_postgres {

// What came of a statement. A failure without SQLSTATE is an error in the design: it asked for what it cannot have.
using Outcome = std::variant<statements::SqlRows, statements::SqlFailed>;

class Backend {
 public:
  explicit Backend(Server& server);
  // The client's end is closed: a transaction ends, and with it the session's locks. What it waits for is given up.
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // Each of them runs it. nullopt: it waits. REQUIRES: a statement is under way if and only if it is not begun here.
  std::optional<Outcome> execute(const statements::SqlStatement& statement);
  std::optional<Outcome> go_on();
  // Its timer goes off. nullopt: it goes on as before.
  std::optional<Outcome> time_out();

  // Several statements in one text, as a schema is. What it fails with; nullopt: it did not.
  std::optional<std::string> execute_all(const std::string& sql);

  bool under_way() const { return under_way_; }
  bool lost() const;  // the server has ended the session
  // Why it has. REQUIRES: lost(). Throws HostFailure if it did not say.
  statements::SqlFailed end_of_session() const;
  bool holds_something() const;
  // Whether nobody holds any more what it waits for.
  bool may_go_on() const;
  // When its timer goes off; 0: never.
  std::int64_t wakes_us() const;

 private:
  std::optional<Outcome> run();
  bool answered();
  void wait_until_it_sleeps() const;
  Outcome take();
  void simply(const char* sql);

  static void heard(void* self, const pg_result* notice);

  Server& server_;
  Connection connection_;
  int process_ = 0;
  TenureBackend* entry_ = nullptr;
  std::uint32_t sleeps_ = 0;  // of those that it has gone to, when it began to run
  bool under_way_ = false;
  statements::SqlFailed last_word_;  // of the server, when it ended the session
};

}  // namespace tenure::sql_postgres
