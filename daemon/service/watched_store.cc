#include "daemon/service/watched_store.h"

#include <chrono>
#include <utility>

namespace tenure::daemon {
namespace {

using reference::AckEvents;
using reference::ReadOutbox;

Duration since(std::chrono::steady_clock::time_point began) {
  return Duration::nanos(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - began).count());
}

class WatchedStore final : public StoreBackend {
 public:
  WatchedStore(std::unique_ptr<StoreBackend> store, StoreObserver& observer, bool hides_outbox)
      : store_(std::move(store)), observer_(observer), hides_outbox_(hides_outbox) {}

  Answer execute(const reference::Request& request, Duration timeout) override {
    const auto began = std::chrono::steady_clock::now();
    Answer answer = store_->execute(stands_for(request), timeout);
    observer_.answered(request, answer, since(began));
    if (hides_outbox_ && answer.outcome == RequestOutcome::applied) hide_outbox(request, answer);
    return answer;
  }
  std::string place() const override { return store_->place(); }
  std::string identity() const override { return store_->identity(); }
  std::optional<StoreAudit> audit(ResourceId resource) override { return store_->audit(resource); }

 private:
  // An acknowledgement of nothing still tells whether the store answers.
  reference::Request stands_for(const reference::Request& request) const {
    const auto* ack = std::get_if<AckEvents>(&request);
    if (!hides_outbox_ || ack == nullptr) return request;
    return ReadOutbox{.resource = ack->resource, .limit = 1};
  }
  static void hide_outbox(const reference::Request& request, Answer& answer) {
    if (std::holds_alternative<AckEvents>(request)) answer.reply = reference::Acknowledged{};
    if (std::holds_alternative<ReadOutbox>(request)) answer.reply = reference::Outbox{};
  }

  const std::unique_ptr<StoreBackend> store_;
  StoreObserver& observer_;
  const bool hides_outbox_;
};

Connect wrapped(Connect connect, StoreObserver& observer, bool hides_outbox) {
  return [connect = std::move(connect), &observer, hides_outbox](Duration within) -> ConnectionOpened {
    ConnectionOpened opened = connect(within);
    if (auto* store = std::get_if<std::unique_ptr<StoreBackend>>(&opened))
      *store = std::make_unique<WatchedStore>(std::move(*store), observer, hides_outbox);
    return opened;
  };
}

}  // namespace

Connect watched(Connect connect, StoreObserver& observer) {
  return wrapped(std::move(connect), observer, false);
}

Connect for_scheduler(Connect connect, StoreObserver& observer) {
  return wrapped(std::move(connect), observer, true);
}

}  // namespace tenure::daemon
