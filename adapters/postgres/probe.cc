#include "adapters/postgres/probe.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "adapters/postgres/connection.h"

namespace tenure::postgres {
namespace {

constexpr const char* kIsStandby = "SELECT pg_is_in_recovery()";
constexpr const char* kClock = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
constexpr const char* kCommit = "SELECT pg_logical_emit_message(true, 'tenure-probe', '')::text";

class Probe final : public StoreProbe {
 public:
  Probe(PostgresConnection connection, Duration timeout)
      : connection_(std::move(connection)), timeout_(timeout) {}

  std::variant<StoreTime, OpenError> read_clock() override {
    std::optional<StoreTime> time;
    const auto error = asked(kClock, [&](ResultRow row) { time = row.time(); });
    if (error) return *error;
    return *time;
  }
  std::optional<OpenError> commit() override {
    return asked(kCommit, [](ResultRow) {});
  }
  // Why it cannot be measured, if it cannot.
  std::optional<OpenError> refusal() {
    bool standby = false;
    if (auto error = asked(kIsStandby, [&](ResultRow row) { standby = row.flag(); })) return error;
    if (!standby) return std::nullopt;
    return OpenError{StoreError::read_only,
                     place() +
                         ": a standby, on which nothing can be committed; say where the primary is "
                         "(target_session_attrs=primary finds it among several hosts)"};
  }

  std::string place() const override { return connection_.place(); }
  bool shares_our_clock() const override { return false; }

 private:
  template <class Take>
  std::optional<OpenError> asked(const char* sql, Take take) {
    try {
      take(connection_.ask(sql, {}, deadline_after(timeout_)));
      return std::nullopt;
    } catch (const PostgresFailure& failure) {
      return open_error_of(failure, place());
    } catch (const std::out_of_range&) {
      return OpenError{StoreError::failed, place() + ": an answer that makes no sense"};
    }
  }

  PostgresConnection connection_;
  Duration timeout_;
};

}  // namespace

ProbeOpened open_probe(const std::string& connection, Duration timeout) {
  try {
    auto probe =
        std::make_unique<Probe>(PostgresConnection(connection, false, deadline_after(timeout)), timeout);
    if (auto refusal = probe->refusal()) return *std::move(refusal);
    return std::unique_ptr<StoreProbe>(std::move(probe));
  } catch (const PostgresFailure& failure) {
    return open_error_of(failure, "Postgres");
  }
}

}  // namespace tenure::postgres
