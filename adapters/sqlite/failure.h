// What a failure of SQLite means for the request that met it, in one table.
//
// Before COMMIT was asked for, nothing of a transaction can ever be seen: the request is rejected. Once it was, the
// engine's words decide: a lock that was not to be had leaves the transaction as it was, and it is undone; whatever the
// disk says leaves frames in the log, of which a recovery may or may not find a commit. That is unknown.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "adapters/sqlite/statement.h"
#include "adapters/store/answer.h"

namespace tenure::sqlite {

enum class SqliteStage : std::uint8_t { before_commit, in_commit };

// `path` is the database's, for the words.
Answer answer_of(const SqliteFailure& failure, SqliteStage stage, const std::string& path);
OpenError open_error_of(const SqliteFailure& failure, const std::string& path);

}  // namespace tenure::sqlite
