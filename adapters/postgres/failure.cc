#include "adapters/postgres/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tenure::postgres {
namespace {

// Codes are those of Postgres' appendix A; one of two letters is a class.
struct Row {
  std::string_view code;
  Trouble trouble;
  std::string_view words;
  bool settled = true;  // an error with this code means that the transaction was undone
};

constexpr std::string_view kStandby =
    "it may only be read: this is a standby; name the primary, or all hosts and "
    "target_session_attrs=read-write";

constexpr std::array kTable = {
    Row{"08", Trouble::lost, "the connection broke", false},
    Row{"40003", Trouble::lost, "the server cannot say what became of it", false},
    Row{"40001", Trouble::busy, "it collided with another transaction"},
    Row{"40P01", Trouble::busy, "it and another transaction waited for each other"},
    Row{"55P03", Trouble::busy, "another transaction held its lock beyond the deadline"},
    Row{"57014", Trouble::busy, "the deadline passed while it was at work, or somebody cancelled it"},
    Row{"53100", Trouble::full, "there is no room left on the server's disk"},
    Row{"53300", Trouble::busy,
        "the server has no connection left: max_connections, or a pool, is too small"},
    Row{"53", Trouble::busy, "the server is short of something"},
    Row{"25006", Trouble::read_only, kStandby},
    Row{"55000", Trouble::read_only, kStandby},
    Row{"42501", Trouble::not_permitted,
        "the account may not do this; the owner of the tables lets it with SELECT tenure.grant_run('ROLE')"},
    Row{"28", Trouble::not_permitted,
        "the server does not let this account in: wrong name or password, or pg_hba.conf"},
    Row{"3D000", Trouble::unreachable, "there is no such database"},
    Row{"57P03", Trouble::unreachable, "the server is starting up or shutting down"},
    Row{"57P", Trouble::lost, "the server was shut down, or somebody ended the connection", false},
    Row{"3F000", Trouble::wrong_schema, "it has no tables of Tenure"},
    Row{"42P01", Trouble::wrong_schema, "its tables are not those of Tenure, or of another version"},
    Row{"42883", Trouble::wrong_schema, "its functions are not those of Tenure, or of another version"},
    Row{"42703", Trouble::wrong_schema, "its tables are not those of Tenure, or of another version"},
    Row{"26000", Trouble::failed, "a prepared statement is gone: a pool hands out connections; say pooled"},
    Row{"42P05", Trouble::failed,
        "a prepared statement is somebody else's: a pool hands out connections; say pooled"},
    Row{"42P07", Trouble::wrong_schema, "tables are in the way that are not those of Tenure"},
    Row{"42723", Trouble::wrong_schema, "functions are in the way that are not those of Tenure"},
    Row{kNoSense, Trouble::wrong_schema, "its tables are not those of Tenure"},
    Row{kWrongWords, Trouble::failed, "the connection string is wrong"},
    Row{kZoneUnknown, Trouble::failed, ""},
    Row{"XX001", Trouble::corrupt, "what is stored is damaged: restore a backup, or promote a standby"},
    Row{"XX002", Trouble::corrupt, "an index is damaged: REINDEX"},
};
constexpr Row kOther{"", Trouble::failed, "it reports an error that was not foreseen"};
constexpr Row kNoAnswer{"", Trouble::unreachable, "it cannot be reached"};
constexpr Row kNoWord{"", Trouble::lost,
                      "the connection broke, or the deadline passed, with the request under way"};

// The row with the longest code that fits.
const Row& row_of(const Failure& failure) {
  const Row* best = failure.stage == Stage::lost                                 ? &kNoWord
                    : failure.stage == Stage::before && failure.sqlstate.empty() ? &kNoAnswer
                                                                                 : &kOther;
  for (const Row& row : kTable) {
    const bool fits = !failure.sqlstate.empty() && failure.sqlstate.starts_with(row.code);
    if (fits && row.code.size() > best->code.size()) best = &row;
  }
  return *best;
}

std::string message_of(const Row& row, const Failure& failure, const std::string& place) {
  std::string said = failure.message;
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  std::replace(said.begin(), said.end(), '\n', ' ');
  if (row.words.empty()) return fmt::format("{}: {}", place, said);  // it is not the server's
  return fmt::format("{}: {} (Postgres: {})", place, row.words, said);
}

}  // namespace

Answer answer_of(const Failure& failure, const std::string& place) {
  const Row& row = row_of(failure);
  std::string message = message_of(row, failure, place);
  switch (failure.stage) {
    case Stage::before:
      return rejected(row.trouble == Trouble::lost ? Trouble::unreachable : row.trouble, message);
    case Stage::answered: break;
    case Stage::lost: return unknown(Trouble::lost, std::move(message));
  }
  return row.settled ? rejected(row.trouble, std::move(message)) : unknown(row.trouble, std::move(message));
}

OpenError open_error_of(const Failure& failure, const std::string& place) {
  const Row& row = row_of(failure);
  return {row.trouble == Trouble::lost ? Trouble::unreachable : row.trouble, message_of(row, failure, place)};
}

}  // namespace tenure::postgres
