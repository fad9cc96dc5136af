#include "adapters/postgres/fence.h"

#include <libpq-fe.h>

#include <memory>

namespace tenure {

std::optional<std::string> fence(pg_conn* connection, ResourceId resource, const Token& token) {
  const std::string words[] = {std::to_string(resource.value),
                               std::to_string(static_cast<std::int64_t>(token.epoch)),
                               std::to_string(static_cast<std::int64_t>(token.nonce))};
  const char* const values[] = {words[0].c_str(), words[1].c_str(), words[2].c_str()};
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      PQexecParams(connection, "SELECT tenure.assert_epoch($1, $2, $3)", 3, nullptr, values, nullptr, nullptr,
                   0),
      &PQclear);
  if (PQresultStatus(result.get()) == PGRES_TUPLES_OK) return std::nullopt;
  const char* said = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
  return said != nullptr ? said : PQerrorMessage(connection);
}

}  // namespace tenure
