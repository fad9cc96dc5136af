#include "adapters/sql_postgres/server_pool.h"

#include <mutex>
#include <utility>
#include <vector>

namespace tenure::sql_postgres {
namespace {

class Pool {
 public:
  static Pool& only() {
    static Pool pool;
    return pool;
  }
  std::unique_ptr<Server> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Server> server = std::move(idle_.back());
    idle_.pop_back();
    return server;
  }
  void put(std::unique_ptr<Server> server) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(server));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Server>> idle_;
};

}  // namespace

std::unique_ptr<Server> borrow_server() {
  std::unique_ptr<Server> server = Pool::only().take();
  if (server == nullptr) server = std::make_unique<Server>(Installation{});
  server->reset();
  return server;
}

void give_back(std::unique_ptr<Server> server) { Pool::only().put(std::move(server)); }

}  // namespace tenure::sql_postgres
