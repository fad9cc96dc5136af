// The changes of schedules, for those who follow them: server-sent events.
//
// A position is (branch, number): numbers of another branch are those of other changes. A follower reads from its
// position on, and never skips a number:
//
//   1. A page is read after the position. If its first number is not the next one, changes in between were forgotten.
//   2. The store's branch is read after the page. If it is not the position's, the numbers say nothing.
//   3. In either case the follower is told so, by 410 if it had just asked, else by an event `reset`, and has to read
//      everything anew.
//
// Each follower reads for itself, and only once its client has taken what was sent: a slow client costs nobody
// anything, and loses nothing.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/api/json.h"
#include "daemon/http/message.h"
#include "daemon/service/store_pool.h"

namespace tenure::daemon {

struct Call;

struct ChangePosition {
  std::uint32_t branch = 0;  // 0: any
  std::uint64_t seq = 0;
};
std::string text_of(const ChangePosition& position);  // "1.42"
// Also "0", from the beginning on. nullopt: it is none.
std::optional<ChangePosition> read_position(std::string_view text);

struct ChangePage {
  std::vector<reference::LogEntry> entries;
  ChangePosition end;
  bool more = false;
};
// What follows a position, at most `limit` changes. Throws HttpProblem: 410 if some were forgotten, or the branch is
// another one.
ChangePage read_changes(PooledStore& store, ResourceId resource, std::string_view position,
                        std::uint32_t limit);
Json json_of(const reference::LogEntry& entry);

class ChangeFeed {
 public:
  // REQUIRES: end() before the server that has the streams is destroyed.
  ChangeFeed(StorePool& pool, ResourceId resource, std::size_t most);
  ~ChangeFeed();

  // The answer that goes on. Throws HttpProblem: there are too many followers, or as read_changes.
  HttpResponse follow(Call& call, std::string_view position);
  // Lets go of the streams, which the server is about to close.
  void end();
  // Once a second: whoever has nothing to do looks for news, or says that it is still there.
  void tick();
  std::size_t followers() const;

 private:
  class Follower;
  ChangePosition first_position(PooledStore& store, ChangePosition now) const;

  StorePool& pool_;
  const ResourceId resource_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Follower>> followers_;
};

}  // namespace tenure::daemon
