// The directory of a server, and the shell that keeps both until we end (server.h, I1).
//
// Thread rule: one owner.
#pragma once

#include <string>

#include "adapters/sql_postgres/preload/page.h"
#include "adapters/sql_postgres/server.h"

namespace tenure::sql_postgres {

class ServerKeeper {
 public:
  // Throws HostFailure.
  explicit ServerKeeper(const Installation& installation);
  ~ServerKeeper();
  ServerKeeper(const ServerKeeper&) = delete;
  ServerKeeper& operator=(const ServerKeeper&) = delete;

  const std::string& directory() const { return directory_; }
  TenureClockPage* page() const { return page_; }
  // Whether the server has ended by itself, or was never there.
  bool failed() const;
  // What it has said last.
  std::string last_words() const;

 private:
  void start(const std::string& programs);
  std::string read_line(int from) const;
  void release();
  void fill_directory(const std::string& clock);

  std::string directory_;
  TenureClockPage* page_ = nullptr;
  int hold_ = -1;  // the server ends when this is closed
  int shell_ = 0;
};

}  // namespace tenure::sql_postgres
