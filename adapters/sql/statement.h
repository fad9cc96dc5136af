// A statement of the user's, in Postgres' SQL, admitted and translated once.
//
// It is parsed by Postgres' own parser and read by an allow-list (README.md): what is not on it is a Refusal. A
// statement that Postgres itself refuses, by a misspelt column or an ambiguous one, is admitted and fails each time it
// is executed, as it does there: a program that prepares it finds out no earlier.
//
// Thread rule: immutable; copies share what they hold and may be used by any number of threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/sql/refusal.h"
#include "adapters/sql/schema.h"
#include "adapters/sql/value.h"

namespace tenure::sql {

struct Plan;

class AdmittedStatement {
 public:
  struct Column {
    std::string name;
    Type type;
    bool operator==(const Column&) const = default;
  };

  // `sql`: one statement, at most 16,384 bytes of UTF-8; a semicolon may end it. Parameters are $1, $2, … or JDBC's
  // `?`, not both; `??` is JDBC's way to write one question mark.
  static std::variant<AdmittedStatement, Refusal> admit(std::string_view sql, const Schema& schema);

  const std::vector<Type>& parameters() const;  // as Postgres infers them: $1 first
  const std::vector<Column>& columns() const;   // of its rows; none without RETURNING
  const std::optional<Error>& error() const;    // what every execution fails with
  bool writes() const;                          // INSERT, UPDATE or DELETE

  const Plan& plan() const { return *plan_; }

 private:
  explicit AdmittedStatement(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  std::shared_ptr<const Plan> plan_;
};

}  // namespace tenure::sql
