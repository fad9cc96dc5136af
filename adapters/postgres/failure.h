// What a failure of Postgres, or of the connection to it, means for the request: one table.
//
// If the server answers a statement with an error, it has undone the transaction, and no effect can ever be seen: the
// request is rejected. If the connection breaks, a deadline passes, or the server ends the session (FATAL, PANIC), the
// commit may have come first: unknown. If something fails before the request is sent: rejected.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "adapters/store/answer.h"

namespace tenure::postgres {

enum class PostgresStage : std::uint8_t {
  before,    // nothing of the request was sent
  answered,  // the server has answered with an error, and its transaction is over
  lost,      // it was sent, and no answer says what became of it
};

// Our own codes, in a form that no server uses.
inline constexpr const char* kNoSense = "no sense";  // an answer that no function of Tenure gives
inline constexpr const char* kWrongWords = "words";  // a malformed connection string

// Thrown and caught inside this room.
struct PostgresFailure {
  PostgresStage stage = PostgresStage::before;
  std::string sqlstate;  // or one of our codes; empty when the server gave none
  std::string message;
};

// `place` names the server and the database, for the message.
Answer answer_of(const PostgresFailure& failure, const std::string& place);
OpenError open_error_of(const PostgresFailure& failure, const std::string& place);

}  // namespace tenure::postgres
