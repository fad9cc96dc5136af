#include "bench/postgres/owner_connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>

namespace tenure {
namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

Result checked(PGresult* got) {
  Result result(got, PQclear);
  const ExecStatusType status = PQresultStatus(got);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
  fmt::print(stderr, "{}", PQresultErrorMessage(got));
  std::exit(70);
}

}  // namespace

OwnerConnection::OwnerConnection(const char* connection) : connection_(PQconnectdb(connection), PQfinish) {}

std::string OwnerConnection::ask(const std::string& sql) {
  const Result result = checked(PQexec(connection_.get(), sql.c_str()));
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

void OwnerConnection::prepare(const char* name, const char* sql) {
  checked(PQprepare(connection_.get(), name, sql, 0, nullptr));
}

int OwnerConnection::call(const char* name, const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  const Result result = checked(PQexecPrepared(connection_.get(), name, static_cast<int>(values.size()),
                                               values.data(), nullptr, nullptr, 0));
  return std::atoi(PQcmdTuples(result.get()));
}

}  // namespace tenure
