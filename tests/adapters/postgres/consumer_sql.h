// A connection of a consumer in the database.
//
// Thread rule: one thread.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

namespace tenure::pgtest {

// What a statement gave, or the SQLSTATE and the detail of its error.
struct Given {
  std::vector<std::vector<std::string>> rows;
  std::string sqlstate, detail;
};

class ConsumerSql {
 public:
  explicit ConsumerSql(const std::string& connection)
      : connection_(PQconnectdb(connection.c_str()), PQfinish) {
    EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK) << PQerrorMessage(connection_.get());
  }
  Given ask(const std::string& statement, const std::vector<std::string>& values = {}) {
    std::vector<const char*> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexecParams(connection_.get(), statement.c_str(), static_cast<int>(values.size()), nullptr,
                     texts.data(), nullptr, nullptr, 0),
        PQclear);
    Given given;
    const auto field = [&](int which) {
      const char* text = PQresultErrorField(result.get(), which);
      return std::string(text == nullptr ? "" : text);
    };
    given.sqlstate = field(PG_DIAG_SQLSTATE);
    given.detail = field(PG_DIAG_MESSAGE_DETAIL);
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      given.rows.emplace_back();
      for (int column = 0; column < PQnfields(result.get()); ++column)
        given.rows.back().emplace_back(PQgetvalue(result.get(), row, column));
    }
    return given;
  }

 private:
  std::shared_ptr<PGconn> connection_;
};

// A time in SQL as the microseconds that the tables have.
inline std::string micros_of(const std::string& time) {
  return fmt::format("(extract(epoch FROM {}) * 1000000)::bigint", time);
}

}  // namespace tenure::pgtest
