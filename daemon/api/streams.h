// Server-sent events of what the store numbers in commit order: changes of schedules, fires.
//
// A position is (branch, number): numbers of another branch are those of other rows. A follower reads page by page from
// its position on:
//
//   1. It goes on from where the page before ended, and only once its client has taken that. So a slow client costs
//      nobody anything, and loses nothing.
//   2. If rows after its position were forgotten, or the store is of another branch, it is told so: by 410 if it has
//      just asked, else by an event `reset`. Then it has to read everything anew. So it is, too, once the one schedule
//      whose rows it follows was deleted.
//   3. Each page is for whoever the client is by the rules that hold then. If it may not ask any more, the stream ends.
//   4. Whoever has nothing to say for a while says that it is still there, and where: a client that sees few of the
//      rows goes on from there too.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/api/problem.h"
#include "daemon/http/message.h"
#include "daemon/service/store_pool.h"

namespace tenure::daemon {

struct Call;

struct StreamPosition {
  std::uint32_t branch = 0;  // 0: before the oldest row that is kept, of any branch
  std::uint64_t seq = 0;
};
std::string text_of(const StreamPosition& position);  // "1.42"
// Also "0". nullopt: it is none.
std::optional<StreamPosition> read_position(std::string_view text);
HttpProblem no_position();

// Whether the caller asks for a stream, and from where on: the field Last-Event-ID, else the parameter `after`; empty if
// there is neither.
bool wants_stream(const Call& call);
std::string asked_position(const Call& call);

// The numbers that the store has.
struct StreamBounds {
  std::uint32_t branch = 0;
  std::uint64_t last = 0;       // the last number given
  std::uint64_t forgotten = 0;  // rows up to here are no longer kept
};
// Throws HttpProblem, 410, if what follows the position is not all that there was.
void check_position(const StreamPosition& position, const StreamBounds& bounds);
// 410; `why` it is not.
HttpProblem gone(const std::string& why);
// Where a stream begins: at the position of that text, or, if it is empty, with what comes. Throws HttpProblem: it is no
// position, or as check_position.
StreamPosition first_position(std::string_view text, const StreamBounds& bounds);

// One event, as it is sent.
std::string event_text(const StreamPosition& id, std::string_view name, std::string_view data);

struct StreamPage {
  std::string events;  // as they are sent
  StreamPosition end;  // all up to here was looked at
  bool more = false;   // there is more already
};
// What follows a position, if it is asked for now. Throws HttpProblem: as check_position, or with 5xx if the store does
// not answer; anything else ends the stream.
using StreamReader = std::function<StreamPage(const Call& call, const StreamPosition& after)>;

class EventStreams {
 public:
  // REQUIRES: end() before the server that has the streams is destroyed.
  EventStreams(StorePool& pool, std::size_t most);
  ~EventStreams();

  // The answer that goes on. Throws HttpProblem: there are too many followers.
  HttpResponse follow(const Call& call, StreamReader read, StreamPosition from);
  // Lets go of the streams, which the server is about to close.
  void end();
  // Once a second: whoever has nothing to do looks for news.
  void tick();
  std::size_t followers() const;

 private:
  class Follower;
  std::size_t count() const;  // REQUIRES: mutex_ is held

  StorePool& pool_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Follower>> answered_;  // whose answers have not begun to leave
  std::vector<std::shared_ptr<Follower>> followers_;
};

}  // namespace tenure::daemon
