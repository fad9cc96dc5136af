// One session of a client: a request is a statement, or several as one transaction, and its answer is put together here
// from those of the statements.
//
// Thread rule: as Server.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "adapters/sql_postgres/backend.h"
#include "adapters/sql_postgres/postgres_engine.h"
#include "sim/stores/session_store.h"
#include "sim/stores/statements/requests.h"

namespace tenure::sql_postgres {

class Session {
 public:
  Session(Server& server, const StoreSession& name, NumberParameters number)
      : name_(name), number_(number), backend_(server) {}

  const StoreSession& name() const { return name_; }
  bool under_way() const { return under_way_; }
  std::uint64_t ticket() const { return ticket_; }
  const Backend& backend() const { return backend_; }
  // The server has ended it by itself, and the client has not been told.
  bool ended_unnoticed() const { return !under_way_ && !closed_ && backend_.lost() && !failed_as_lost_; }
  // A transaction is open, or it has locks of its own.
  bool holds_something() const { return !under_way_ && backend_.holds_something(); }

  // The client has closed its end: nothing new comes.
  void close() { closed_ = true; }
  // Nothing is under way, and nothing will be.
  bool over() const { return !under_way_ && (closed_ || backend_.lost()); }

  // Each of them gives the answer to the request under way; nullopt: it waits, or there is none.
  std::optional<Reply> begin(std::uint64_t ticket, const statements::Request& request);
  std::optional<Reply> go_on() { return follow(backend_.go_on()); }
  std::optional<Reply> time_out();

 private:
  std::optional<Reply> follow(std::optional<Outcome> outcome);
  std::optional<Outcome> next();
  statements::Reply answer();

  StoreSession name_;
  NumberParameters number_;
  Backend backend_;
  bool closed_ = false;
  bool under_way_ = false;
  std::uint64_t ticket_ = 0;
  std::vector<statements::SqlStatement> steps_;
  std::size_t step_ = 0;  // of those, the one under way
  bool transaction_ = false;
  bool failed_as_lost_ = false;  // the answer to the last request says that the session is over
  std::vector<statements::SqlRows> results_;
  std::optional<statements::SqlFailed> failed_;
};

}  // namespace tenure::sql_postgres
