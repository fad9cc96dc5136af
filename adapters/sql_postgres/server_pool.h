// Servers that nobody uses at the moment: starting one takes most of a second.
//
// Thread rule: any thread. A lent server is its borrower's.
#pragma once

#include <memory>

#include "adapters/sql_postgres/server.h"

namespace tenure::sql_postgres {

// A server with an empty schema.
std::unique_ptr<Server> borrow_server();
// REQUIRES: no client is connected.
void give_back(std::unique_ptr<Server> server);

}  // namespace tenure::sql_postgres
