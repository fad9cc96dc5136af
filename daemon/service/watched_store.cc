#include "daemon/service/watched_store.h"

#include <chrono>
#include <utility>

namespace tenure::daemon {
namespace {

Duration since(std::chrono::steady_clock::time_point began) {
  return Duration::nanos(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - began).count());
}

class WatchedStore final : public StoreBackend {
 public:
  WatchedStore(std::unique_ptr<StoreBackend> store, StoreObserver& observer)
      : store_(std::move(store)), observer_(observer) {}

  Answer execute(const reference::Request& request, Duration timeout) override {
    const auto began = std::chrono::steady_clock::now();
    Answer answer = store_->execute(request, timeout);
    observer_.answered(request, answer, since(began));
    return answer;
  }
  std::string place() const override { return store_->place(); }
  std::string identity() const override { return store_->identity(); }
  std::optional<StoreAudit> audit(ResourceId resource) override { return store_->audit(resource); }

 private:
  const std::unique_ptr<StoreBackend> store_;
  StoreObserver& observer_;
};

}  // namespace

Connect watched(Connect connect, StoreObserver& observer) {
  return [connect = std::move(connect), &observer](Duration within) -> ConnectionOpened {
    ConnectionOpened opened = connect(within);
    if (auto* store = std::get_if<std::unique_ptr<StoreBackend>>(&opened))
      *store = std::make_unique<WatchedStore>(std::move(*store), observer);
    return opened;
  };
}

}  // namespace tenure::daemon
