#include "adapters/sql/engine_functions.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "adapters/sql/literals.h"
#include "adapters/sql/statement_errors.h"
#include "adapters/sql/utf8.h"
#include "core/base/int128.h"

namespace tenure::sql {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

struct BeyondEngine {
  std::string what;
};

using Arguments = sqlite3_value**;

std::string_view text_at(Arguments values, int place) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(values[place]));
  return bytes == nullptr
             ? std::string_view()
             : std::string_view(bytes, static_cast<std::size_t>(sqlite3_value_bytes(values[place])));
}
std::int64_t integer_at(Arguments values, int place) { return sqlite3_value_int64(values[place]); }
Type type_at(Arguments values, int place) { return static_cast<Type>(sqlite3_value_int(values[place])); }

void give_text(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

[[noreturn]] void divided_by_zero() { throw FailedError{"22012", "division by zero"}; }

// In 128 bits, then held against the type.
std::int64_t held(int128 value, Type type) {
  if (type == Type::timestamptz || type == Type::interval) {
    const char* const what = type == Type::timestamptz ? "timestamp" : "interval";
    if (value > INT64_MAX || value < INT64_MIN)
      throw FailedError{"22008", fmt::format("{} out of range", what)};
    if (value > kMostMicros || value < -kMostMicros)
      throw BeyondEngine{type == Type::timestamptz ? "a time as far away as this"
                                                   : "an interval as long as this"};
    return static_cast<std::int64_t>(value);
  }
  const bool fits = value <= INT64_MAX && value >= INT64_MIN;
  if (!fits && type == Type::numeric) throw BeyondEngine{"a number as large as this"};
  if (!fits) throw FailedError{"22003", fmt::format("{} out of range", name_of(type))};
  check_range(static_cast<std::int64_t>(value), type);
  return static_cast<std::int64_t>(value);
}

// Half to even, as rint does for Postgres.
int128 divided_interval(std::int64_t micros, std::int64_t by) {
  int128 quotient = int128{micros} / by;
  const int128 rest = int128{micros} % by;
  const int128 twice = (rest < 0 ? -rest : rest) * 2;
  const int128 size = by < 0 ? -int128{by} : int128{by};
  if (twice > size || (twice == size && quotient % 2 != 0)) quotient += (micros < 0) == (by < 0) ? 1 : -1;
  return quotient;
}

void arithmetic(sqlite3_context* context, Arguments values) {
  const char op = text_at(values, 0).front();
  const Type type = type_at(values, 1);
  const std::int64_t a = integer_at(values, 2), b = integer_at(values, 3);
  int128 result = 0;
  switch (op) {
    case '+': result = int128{a} + b; break;
    case '-': result = int128{a} - b; break;
    case '*': result = int128{a} * b; break;
    case '/':
      if (b == 0) divided_by_zero();
      result = type == Type::interval ? divided_interval(a, b) : int128{a} / b;
      break;
    default:
      if (b == 0) divided_by_zero();
      result = int128{a} % b;
      break;
  }
  sqlite3_result_int64(context, held(result, type));
}

void scale(sqlite3_context* context, Arguments values) {
  sqlite3_result_int64(context, held(int128{integer_at(values, 0)} * kMillion, Type::numeric));
}

void to_integer(sqlite3_context* context, Arguments values) {
  sqlite3_result_int64(context, held(integer_at(values, 1), type_at(values, 0)));
}

// Millionths to whole numbers, in millionths.
void rounded(sqlite3_context* context, Arguments values) {
  const std::string_view how = text_at(values, 0);
  const std::int64_t value = integer_at(values, 1);
  const std::int64_t rest = value % kMillion;
  const std::int64_t towards_zero = value - rest;
  const bool away = how == "ceil"    ? rest > 0
                    : how == "floor" ? rest < 0
                    : how == "trunc" ? false
                                     : rest >= kMillion / 2 || rest <= -kMillion / 2;
  const int128 result = int128{towards_zero} + (!away ? 0 : value > 0 ? kMillion : -kMillion);
  sqlite3_result_int64(context, held(result, Type::numeric));
}

void floored(sqlite3_context* context, Arguments values) {
  const std::int64_t value = integer_at(values, 0), unit = integer_at(values, 1);
  const std::int64_t rest = (value % unit + unit) % unit;
  sqlite3_result_int64(context, held(int128{value} - rest, Type::timestamptz));
}

void instant_of(sqlite3_context* context, Arguments values) {
  sqlite3_result_int64(context, held(integer_at(values, 0), Type::timestamptz));
}

void read_text(sqlite3_context* context, Arguments values) {
  const std::string_view text = text_at(values, 1);
  switch (const Type type = type_at(values, 0)) {
    case Type::boolean: return sqlite3_result_int64(context, read_boolean(text) ? 1 : 0);
    case Type::timestamptz: return sqlite3_result_int64(context, read_timestamptz(text));
    case Type::interval: return sqlite3_result_int64(context, read_interval(text));
    case Type::uuid: return give_text(context, read_uuid(text));
    default: return sqlite3_result_int64(context, read_integer(text, type));
  }
}

// varchar(n): a written cast cuts; a column takes no more, but for blanks.
void fit_varchar(sqlite3_context* context, Arguments values) {
  const int most = static_cast<int>(integer_at(values, 0));
  const std::string_view text = text_at(values, 2);
  const std::size_t end = offset_of_character(text, most);
  const bool cut = sqlite3_value_int(values[1]) != 0;
  if (!cut && text.find_first_not_of(' ', end) != std::string_view::npos)
    throw FailedError{"22001", fmt::format("value too long for type character varying({})", most)};
  give_text(context, text.substr(0, end));
}

// NULL: no bound.
void limit(sqlite3_context* context, Arguments values) {
  const bool offset = text_at(values, 0) == "OFFSET";
  const bool none = sqlite3_value_type(values[1]) == SQLITE_NULL;
  const std::int64_t value = none ? (offset ? 0 : -1) : integer_at(values, 1);
  if (!none && value < 0)
    throw FailedError{offset ? "2201X" : "2201W",
                      fmt::format("{} must not be negative", offset ? "OFFSET" : "LIMIT")};
  sqlite3_result_int64(context, value);
}

void single(sqlite3_context* context, Arguments values) {
  if (integer_at(values, 0) > 1)
    throw FailedError{"21000", "more than one row returned by a subquery used as an expression"};
  sqlite3_result_value(context, values[1]);
}

bool less(sqlite3_value* a, sqlite3_value* b) {
  if (sqlite3_value_type(a) != SQLITE_TEXT) return sqlite3_value_int64(a) < sqlite3_value_int64(b);
  return text_at(&a, 0) < text_at(&b, 0);
}

void extreme(sqlite3_context* context, int count, Arguments values, bool greatest) {
  sqlite3_value* best = nullptr;
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) continue;
    if (best == nullptr || (greatest ? less(best, values[i]) : less(values[i], best))) best = values[i];
  }
  if (best != nullptr) sqlite3_result_value(context, best);
}

void next_number(sqlite3_context* context, EngineState& state, Arguments values) {
  const auto place = static_cast<std::size_t>(integer_at(values, 0)) - 1;
  const std::int64_t number = state.sequences[place] + 1;
  const Type type = state.sequence_types[place];
  const bool fits = type == Type::int2   ? number <= INT16_MAX
                    : type == Type::int4 ? number <= INT32_MAX
                                         : true;
  if (!fits) throw FailedError{"2200H", "nextval: reached maximum value of sequence"};
  state.sequences[place] = number;
  sqlite3_result_int64(context, number);
}

// Exceptions do not cross SQLite: they become its error, and ours is kept beside.
template <class Body>
void guarded(sqlite3_context* context, const Body& body) {
  auto& state = *static_cast<EngineState*>(sqlite3_user_data(context));
  try {
    body(state);
    return;
  } catch (const FailedError& failed) {
    state.error = Error{Error::Kind::statement, failed.sqlstate, failed.message, 0};
  } catch (const RefusedError& refused) {
    state.error = beyond_engine(refused.what);
  } catch (const BeyondEngine& beyond) {
    state.error = beyond_engine(beyond.what);
  }
  sqlite3_result_error(context, "", 0);
}

// NULL for NULL; most functions are strict.
template <void (*function)(sqlite3_context*, Arguments)>
void strict(sqlite3_context* context, int count, Arguments values) {
  const auto is_null = [](sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; };
  if (std::any_of(values, values + count, is_null)) return;
  guarded(context, [&](EngineState&) { function(context, values); });
}
template <void (*function)(sqlite3_context*, Arguments)>
void with_null(sqlite3_context* context, int, Arguments values) {
  guarded(context, [&](EngineState&) { function(context, values); });
}
void greatest(sqlite3_context* context, int count, Arguments values) {
  extreme(context, count, values, true);
}
void least(sqlite3_context* context, int count, Arguments values) { extreme(context, count, values, false); }
void next_of(sqlite3_context* context, int, Arguments values) {
  guarded(context, [&](EngineState& state) { next_number(context, state, values); });
}

struct Function {
  const char* name;
  int arguments;  // -1: any number
  void (*body)(sqlite3_context*, int, Arguments);
  bool deterministic = true;
};
constexpr Function kFunctions[] = {
    {"pg_arith", 4, strict<arithmetic>}, {"pg_scale", 1, strict<scale>},
    {"pg_int", 2, strict<to_integer>},   {"pg_round", 2, strict<rounded>},
    {"pg_floor", 2, strict<floored>},    {"pg_instant", 1, strict<instant_of>},
    {"pg_read", 2, strict<read_text>},   {"pg_varchar", 3, strict<fit_varchar>},
    {"pg_limit", 2, with_null<limit>},   {"pg_single", 2, with_null<single>},
    {"pg_greatest", -1, greatest},       {"pg_least", -1, least},
    {"pg_next", 1, next_of, false},
};

}  // namespace

void add_functions(sqlite3* db, EngineState* state) {
  for (const Function& function : kFunctions) {
    const int flags = SQLITE_UTF8 | (function.deterministic ? SQLITE_DETERMINISTIC : 0);
    sqlite3_create_function_v2(db, function.name, function.arguments, flags, state, function.body, nullptr,
                               nullptr, nullptr);
  }
}

}  // namespace tenure::sql
