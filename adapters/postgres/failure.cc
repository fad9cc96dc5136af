#include "adapters/postgres/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tenure::postgres {
namespace {

// Codes are those of Postgres' appendix A; one of two letters is a class.
struct Cause {
  std::string_view code;
  StoreError trouble;
  std::string_view words;
  bool settled = true;  // an error with this code means that the transaction was undone
};

constexpr std::string_view kStandby =
    "it may only be read: this is a standby; name the primary, or all hosts and "
    "target_session_attrs=read-write";

constexpr std::array kTable = {
    Cause{"08", StoreError::lost, "the connection broke", false},
    Cause{"40003", StoreError::lost, "the server does not know what became of it", false},
    Cause{"40001", StoreError::busy, "it collided with another transaction"},
    Cause{"40P01", StoreError::busy, "it and another transaction waited for each other"},
    Cause{"55P03", StoreError::busy, "another transaction held the lock beyond the deadline"},
    Cause{"57014", StoreError::busy, "the deadline passed while it was at work, or somebody cancelled it"},
    Cause{"53100", StoreError::full, "there is no room left on the server's disk"},
    Cause{"53300", StoreError::busy,
          "the server has no connection left: max_connections, or a pool, is too small"},
    Cause{"53", StoreError::busy, "the server is short of something"},
    Cause{"25006", StoreError::read_only, kStandby},
    Cause{"55000", StoreError::read_only, kStandby},
    Cause{
        "42501", StoreError::not_permitted,
        "the account may not do this; the owner of the tables lets it with SELECT tenure.grant_run('ROLE')"},
    Cause{"28", StoreError::not_permitted,
          "the server does not let this account in: wrong name or password, or pg_hba.conf"},
    Cause{"3D000", StoreError::unreachable, "there is no such database"},
    Cause{"57P03", StoreError::unreachable, "the server is starting up or shutting down"},
    Cause{"57P", StoreError::lost, "the server was shut down, or somebody ended the connection", false},
    Cause{"3F000", StoreError::wrong_schema, "it has no tables of Tenure"},
    Cause{"42P01", StoreError::wrong_schema, "its tables are not Tenure's, or have another version"},
    Cause{"42883", StoreError::wrong_schema, "its functions are not Tenure's, or have another version"},
    Cause{"42703", StoreError::wrong_schema, "its tables are not Tenure's, or have another version"},
    Cause{"22004", StoreError::failed, "an argument of a function is null"},
    Cause{"26000", StoreError::failed,
          "a prepared statement is gone: a pool hands out connections; say pooled"},
    Cause{"42P05", StoreError::failed,
          "a prepared statement belongs to another client: a pool hands out connections; say pooled"},
    Cause{"42P07", StoreError::wrong_schema, "it has tables of the same name that are not Tenure's"},
    Cause{"42723", StoreError::wrong_schema, "it has functions of the same name that are not Tenure's"},
    Cause{kNoSense, StoreError::wrong_schema, "its tables are not Tenure's"},
    Cause{kWrongWords, StoreError::failed, "the connection string is wrong"},
    Cause{"XX001", StoreError::corrupt, "what is stored is damaged: restore a backup, or promote a standby"},
    Cause{"XX002", StoreError::corrupt, "an index is damaged: REINDEX"},
};
constexpr Cause kOther{"", StoreError::failed, "it reports an error that was not foreseen"};
constexpr Cause kNoAnswer{"", StoreError::unreachable, "it cannot be reached"};
// Before a connection stands, this code has another meaning.
constexpr std::string_view kNotInThatState = "55000";
constexpr Cause kClosed{kNotInThatState, StoreError::unreachable,
                        "the database takes no connections for now (ALTER DATABASE … ALLOW_CONNECTIONS)"};
constexpr Cause kNoWord{"", StoreError::lost,
                        "the connection broke, or the deadline passed, with the request under way"};

// The cause with the longest code that fits.
const Cause& cause_of(const PostgresFailure& failure) {
  if (failure.stage == PostgresStage::before && failure.sqlstate == kNotInThatState) return kClosed;
  const Cause* best = failure.stage == PostgresStage::lost                                 ? &kNoWord
                      : failure.stage == PostgresStage::before && failure.sqlstate.empty() ? &kNoAnswer
                                                                                           : &kOther;
  for (const Cause& cause : kTable) {
    const bool fits = !failure.sqlstate.empty() && failure.sqlstate.starts_with(cause.code);
    if (fits && cause.code.size() > best->code.size()) best = &cause;
  }
  return *best;
}

std::string message_of(const Cause& cause, const PostgresFailure& failure, const std::string& place) {
  std::string said = failure.message;
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  std::replace(said.begin(), said.end(), '\n', ' ');
  return fmt::format("{}: {} (Postgres: {})", place, cause.words, said);
}

}  // namespace

Answer answer_of(const PostgresFailure& failure, const std::string& place) {
  const Cause& cause = cause_of(failure);
  std::string message = message_of(cause, failure, place);
  switch (failure.stage) {
    case PostgresStage::before:
      return rejected(cause.trouble == StoreError::lost ? StoreError::unreachable : cause.trouble, message);
    case PostgresStage::answered: break;
    case PostgresStage::lost: return unknown(StoreError::lost, std::move(message));
  }
  return cause.settled ? rejected(cause.trouble, std::move(message))
                       : unknown(cause.trouble, std::move(message));
}

OpenError open_error_of(const PostgresFailure& failure, const std::string& place) {
  const Cause& cause = cause_of(failure);
  return {cause.trouble == StoreError::lost ? StoreError::unreachable : cause.trouble,
          message_of(cause, failure, place)};
}

}  // namespace tenure::postgres
