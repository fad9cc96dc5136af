// A connection of somebody who owns the server, beside the store's own. What the server refuses ends the program.
#pragma once

#include <memory>
#include <string>
#include <vector>

struct pg_conn;

namespace tenure {

class OwnerConnection {
 public:
  explicit OwnerConnection(const char* connection = "");

  // A statement; its first field, if there is one.
  std::string ask(const std::string& sql);
  void prepare(const char* name, const char* sql);
  // How many rows it changed.
  int call(const char* name, const std::vector<std::string>& parameters);

 private:
  std::shared_ptr<pg_conn> connection_;
};

}  // namespace tenure
