// What a failure of SQLite means for the request: one table.
//
// Before COMMIT, no effect of a transaction can ever be seen: the request is rejected. After COMMIT was sent, the
// engine's error decides. If a lock could not be had, the transaction stays as it was, and is undone. After an error of
// the disk, frames stay in the log, and a recovery may or may not find a commit there: unknown.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "adapters/sqlite/statement.h"
#include "adapters/store/answer.h"

namespace tenure::sqlite {

enum class SqliteStage : std::uint8_t { before_commit, in_commit };

// `path` is the database's, for the message.
Answer answer_of(const SqliteFailure& failure, SqliteStage stage, const std::string& path);
OpenError open_error_of(const SqliteFailure& failure, const std::string& path);

}  // namespace tenure::sqlite
