// Hears what other clients changed, by LISTEN.
//
// A connection that breaks is made anew, at most once in `pause`, and whoever listens is then told that anything
// may have happened. Not through a pool that hands out connections for a transaction: it loses who listens.
//
// Thread rule: one thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/postgres/connection.h"
#include "adapters/store/listener.h"

namespace tenure {

class PostgresListener final : public Listener {
 public:
  explicit PostgresListener(std::string connection, Duration pause = Duration::seconds(1))
      : words_(std::move(connection)), pause_(pause) {}

  ListenerEvent wait(Duration timeout) override;

 private:
  // The making of a connection takes several round trips, which need not fit into what is left of a wait.
  static constexpr Duration kPatience = Duration::seconds(5);

  bool listen(postgres::Deadline deadline, ListenerEvent& heard);

  std::string words_;
  Duration pause_;
  std::optional<postgres::PostgresConnection> connection_;
  postgres::Deadline next_attempt_ = postgres::Deadline::min();
};

}  // namespace tenure
