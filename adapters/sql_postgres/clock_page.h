// The page of memory by which a server reads our clock, in the server's directory, and the library that reads it there.
//
// Thread rule: one owner.
#pragma once

#include <string>
#include <vector>

#include "adapters/local_postgres/server_keeper.h"
#include "adapters/sql_postgres/preload/page.h"

namespace tenure::sql_postgres {

class ClockPage {
 public:
  // `library`: empty: beside this program, or in ../lib/tenure from there. Throws HostFailure.
  ClockPage(const local_postgres::ServerKeeper& keeper, const std::string& library);
  ~ClockPage();
  ClockPage(const ClockPage&) = delete;
  ClockPage& operator=(const ClockPage&) = delete;

  TenureClockPage* get() const { return page_; }
  // For the server's environment.
  std::vector<std::string> environment() const;

 private:
  std::string directory_;
  TenureClockPage* page_ = nullptr;
};

}  // namespace tenure::sql_postgres
