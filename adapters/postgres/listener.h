// Hears what other clients changed. A hint and no more: what matters is found by polling.
//
// A connection that breaks is made anew, at most once in `pause`, and whoever listens is then told that anything
// may have happened. Not through a pool that hands out connections for a transaction: it loses who listens.
//
// Thread rule: one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/connection.h"
#include "core/base/time.h"
#include "core/store/store_machine.h"

namespace tenure {

class PostgresListener {
 public:
  struct Heard {
    std::vector<Notification> notifications;
    bool missed = false;  // it listens again, after a time in which it did not: poll everything
    std::string trouble;  // why it does not listen, in words; empty when it does
  };

  explicit PostgresListener(std::string connection, Duration pause = Duration::seconds(1))
      : words_(std::move(connection)), pause_(pause) {}

  // Returns as soon as there is something to tell, and after `timeout` at the latest.
  Heard wait(Duration timeout);

 private:
  bool listen(postgres::Deadline deadline, Heard& heard);

  std::string words_;
  Duration pause_;
  std::optional<postgres::Connection> connection_;
  postgres::Deadline next_attempt_ = postgres::Deadline::min();
};

}  // namespace tenure
