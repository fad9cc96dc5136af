// What a store with a schema of the user's own is asked: statements in SQL.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/message.h"

namespace tenure::statements {

struct Null {
  bool operator==(const Null&) const = default;
};
// What a statement is given and gives back. A time is the store's, in whole microseconds; an interval has no months.
using Value = std::variant<Null, bool, std::int64_t, std::string, StoreTime, Duration>;

struct SqlStatement {
  std::string text;
  std::vector<Value> parameters;  // $1 is the first
};
// One statement, or several as one transaction: all of them or none. Executed at one instant, which is now().
struct Execute {
  ResourceId resource;
  std::vector<SqlStatement> statements;
};
// A client's edit of a schedule, in a design's own statements: from `from` on it is as defined; without a definition it
// is deleted. The rows mean something to the design alone; who follows schedules goes by the definition.
struct EditSchedule {
  ResourceId resource;
  ScheduleId schedule;
  std::optional<Definition> definition;
  StoreTime from;
  std::vector<SqlStatement> statements;
};

struct SqlRows {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  std::int64_t count = 0;  // of rows that were read or changed
  bool operator==(const SqlRows&) const = default;
};
struct Executed {
  std::vector<SqlRows> results;  // one a statement
};
// Nothing was changed.
struct SqlFailed {
  std::string sqlstate;  // five characters, as Postgres has them
  std::string message;
};

using Request = std::variant<Execute, EditSchedule>;
using Reply = std::variant<Executed, SqlFailed>;

// Their fields (core/base/fields.h).
TENURE_NO_FIELDS(Null)
TENURE_FIELDS(SqlStatement, text, parameters)
TENURE_FIELDS(Execute, resource, statements)
TENURE_FIELDS(EditSchedule, resource, schedule, definition, from, statements)
TENURE_FIELDS(SqlRows, columns, rows, count)
TENURE_FIELDS(Executed, results)
TENURE_FIELDS(SqlFailed, sqlstate, message)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::statements
