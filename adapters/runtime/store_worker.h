// A thread with one connection to a store: executes requests in order, one at a time.
//
// A request whose deadline passes before its turn is rejected: it was never sent. If the connection cannot be opened,
// the requests that wait for it are rejected, and the next request tries again.
//
// Thread rule: submit(), finish() and stop() may be called from any thread; answers come on the worker's own thread.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "adapters/runtime/machine_clock.h"
#include "adapters/runtime/store_channel.h"
#include "adapters/store/store_backend.h"

namespace tenure {

using ConnectionOpened = std::variant<std::unique_ptr<StoreBackend>, OpenError>;

// Opens a connection; called on the worker's thread. It is made from a function that is told how long it may take:
// until the deadline of the request that needs the connection. It can also be made from a function that is not told;
// then a silent server keeps the first leader waiting for as long as that function waits.
class Connect {
 public:
  Connect() = default;
  template <class Open>
    requires(!std::is_same_v<std::remove_cvref_t<Open>, Connect>)
  Connect(Open open) {
    if constexpr (std::is_invocable_v<Open&, Duration>)
      open_ = std::move(open);
    else
      open_ = [open = std::move(open)](Duration) mutable { return open(); };
  }
  // REQUIRES: it was made of a function.
  ConnectionOpened operator()(Duration within = Duration::seconds(10)) const { return open_(within); }

 private:
  std::function<ConnectionOpened(Duration within)> open_;
};

// The store that the first connection found; later connections must find the same.
class FoundStore {
 public:
  bool known() {
    const std::lock_guard lock(mutex_);
    return known_;
  }
  // Why `store` must not be used: it is another store.
  std::optional<OpenError> objection_to(const StoreBackend& store) {
    const std::lock_guard lock(mutex_);
    if (auto error = other_store(store.place(), identity_, store.identity())) return error;
    known_ = true;
    identity_ = store.identity();
    return std::nullopt;
  }

 private:
  std::mutex mutex_;
  bool known_ = false;
  std::string identity_;
};

// Opens a Store with these options: connect_with<SqliteStore>({.path = "tenure.db"}). A file that was there once is not
// made a second time: it was moved away, and may come back. Another store is not taken for the first one.
template <class Store>
Connect connect_with(typename Store::Options options) {
  return [options = std::move(options),
          first = std::make_shared<FoundStore>()](Duration within) -> ConnectionOpened {
    typename Store::Options now = options;
    now.connect_within = std::min(within, now.connect_within);
    if constexpr (requires { now.create; }) now.create = now.create && !first->known();
    typename Store::Opened opened = Store::open(std::move(now));
    if (auto* error = std::get_if<OpenError>(&opened)) return std::move(*error);
    auto store = std::get<std::unique_ptr<Store>>(std::move(opened));
    if (auto error = first->objection_to(*store)) return *std::move(error);
    return store;
  };
}

class StoreWorker final : public StoreChannel {
 public:
  StoreWorker(Connect connect, const MachineClock& clock);
  ~StoreWorker() override;  // like stop(), and waits for the request under way
  StoreWorker(const StoreWorker&) = delete;

  void submit(reference::Request request, MonoTime deadline, Done done) override;
  void finish() override;
  void stop() override;
  std::string place() override;
  bool ended() override;

 private:
  struct Job {
    reference::Request request;
    MonoTime deadline;
    Done done;
  };
  void run();
  Answer execute(const Job& job);

  const Connect connect_;
  const MachineClock& clock_;
  std::unique_ptr<StoreBackend> connection_;  // the worker's thread only

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::string place_ = "its store, to which it has no connection yet";
  bool closed_ = false;
  bool ended_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tenure
