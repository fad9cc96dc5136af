// A database to try statements on, and values as text.
//
// Thread rule: one test.
#pragma once

#include <date/date.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "adapters/sql/database.h"

namespace tenure::sql {

inline std::string show(const Value& value) {
  struct Show {
    std::string operator()(Null) const { return "NULL"; }
    std::string operator()(bool flag) const { return flag ? "t" : "f"; }
    std::string operator()(std::int64_t integer) const { return std::to_string(integer); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(StoreTime time) const {
      const std::chrono::microseconds micros(time.ns() / 1'000);
      const auto whole = std::chrono::floor<std::chrono::seconds>(micros);
      std::ostringstream out;
      out << date::format("%F %T", date::sys_seconds(whole));
      std::string fraction = fmt::format("{:06}", (micros - whole).count());
      while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
      return out.str() + (fraction.empty() ? "" : "." + fraction);
    }
    std::string operator()(Duration length) const { return std::to_string(length.ns() / 1'000) + "us"; }
  };
  return std::visit(Show{}, value);
}

inline std::string show(const SqlRows& rows) {
  std::string text;
  for (const std::string& column : rows.columns) text += (text.empty() ? "" : "|") + column;
  if (!rows.columns.empty()) text += "\n";
  for (const std::vector<Value>& row : rows.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : "|") + show(row[i]);
    text += "\n";
  }
  return text + "(" + std::to_string(rows.count) + ")";
}

inline std::string show(const std::variant<SqlRows, Error>& result) {
  if (const auto* error = std::get_if<Error>(&result))
    return (error->kind == Error::Kind::engine ? "!engine " : "!") + error->sqlstate + " " + error->message;
  return show(std::get<SqlRows>(result));
}

class Bench {
 public:
  explicit Bench(std::string_view ddl) : schema_(read(ddl)) {
    auto opened = Database::open(schema_, now);
    if (auto* error = std::get_if<Error>(&opened))
      ADD_FAILURE() << error->message;
    else
      database.emplace(std::move(std::get<Database>(opened)));
  }

  std::variant<AdmittedStatement, Refusal> admit(std::string_view sql) const {
    return AdmittedStatement::admit(sql, schema_);
  }
  // What must be admitted, is.
  AdmittedStatement statement(std::string_view sql) const {
    auto admitted = admit(sql);
    if (const auto* refusal = std::get_if<Refusal>(&admitted)) {
      ADD_FAILURE() << sql << "\n" << refusal->message();
      return std::get<AdmittedStatement>(admit("SELECT 'refused'"));
    }
    return std::get<AdmittedStatement>(admitted);
  }
  std::variant<SqlRows, Error> execute(std::string_view sql, const std::vector<Value>& parameters = {}) {
    return database->execute(statement(sql), parameters, now);
  }
  // "column|column", a line for each row, and "(count)"; or "!SQLSTATE message".
  std::string show(std::string_view sql, const std::vector<Value>& parameters = {}) {
    return sql::show(execute(sql, parameters));
  }
  Error error(std::string_view sql, const std::vector<Value>& parameters = {}) {
    const auto result = execute(sql, parameters);
    if (const auto* error = std::get_if<Error>(&result)) return *error;
    ADD_FAILURE() << sql << "\ngave " << sql::show(result);
    return {};
  }
  // "line:column what"
  std::string refusal(std::string_view sql) const {
    const auto admitted = admit(sql);
    const auto* refusal = std::get_if<Refusal>(&admitted);
    if (refusal == nullptr) return "admitted";
    return fmt::format("{}:{} {}", refusal->line, refusal->column, refusal->what);
  }

  StoreTime now = StoreTime{} + Duration::seconds(1'000);
  std::optional<Database> database;

 private:
  static Schema read(std::string_view ddl) {
    auto schema = Schema::read(ddl);
    if (const auto* refusal = std::get_if<Refusal>(&schema)) {
      ADD_FAILURE() << refusal->message();
      return std::get<Schema>(Schema::read(""));
    }
    return std::get<Schema>(schema);
  }
  Schema schema_;
};

}  // namespace tenure::sql
