// Hears what other clients changed, by LISTEN.
//
// A broken connection is made again, at most once in `pause`; the caller is then told that anything may have changed.
// It cannot work through a pool that hands out connections for one transaction, because that loses the LISTEN.
//
// Thread rule: one thread.
#pragma once

#include <optional>
#include <string>

#include "adapters/postgres/connection.h"
#include "adapters/store/listener.h"
#include "core/store/listening.h"

namespace tenure {

class PostgresListener final : public Listener {
 public:
  explicit PostgresListener(std::string connection, Duration pause = kListenAgain)
      : words_(std::move(connection)), pause_(pause) {}

  ListenerEvent wait(Duration timeout) override;

 private:
  // How long a connection may take to make. It takes several round trips, and may take longer than the rest of a wait.
  static constexpr Duration kPatience = Duration::seconds(5);

  bool listen(postgres::Deadline deadline, ListenerEvent& heard);

  std::string words_;
  Duration pause_;
  std::optional<postgres::PostgresConnection> connection_;
  postgres::Deadline next_attempt_ = postgres::Deadline::min();
};

}  // namespace tenure
