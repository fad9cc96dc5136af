// What a failure of Postgres, or of the way to it, means for the request that met it: one table.
//
// The server answers a statement with an error only once it has undone its transaction; nothing of it can be seen,
// now or later, so the request is rejected. A connection that breaks, a deadline that passes, and a server that
// says farewell (FATAL, PANIC) leave open whether the commit came first: unknown. Whatever fails before the request
// is sent: rejected.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "adapters/store/answer.h"

namespace tenure::postgres {

enum class PostgresStage : std::uint8_t {
  before,    // nothing of the request was sent
  answered,  // the server has answered with an error, and its transaction is over
  lost,      // it was sent, and nothing was heard that settles it
};

// Codes of this room, in a form that no server has.
inline constexpr const char* kNoSense = "no sense";  // an answer that no function of Tenure gives
inline constexpr const char* kWrongWords = "words";  // a connection string that is none

// What is thrown inside this room. It never leaves it.
struct PostgresFailure {
  PostgresStage stage = PostgresStage::before;
  std::string sqlstate;  // or a code of this room; empty when the server did not say
  std::string message;
};

// `place` names the server and the database, for the words.
Answer answer_of(const PostgresFailure& failure, const std::string& place);
OpenError open_error_of(const PostgresFailure& failure, const std::string& place);

}  // namespace tenure::postgres
