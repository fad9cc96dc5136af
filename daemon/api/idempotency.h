// What has an Idempotency-Key happens once.
//
// The key gives the run its number, and the store does a run of one number once, for as long as it remembers runs: so a
// repetition has no second effect, whichever instance it reaches, and whatever its body says. That the body is another
// one is known to the instance that took the first: it refuses the repetition, for a day.
//
// Thread rule: as a handler.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "daemon/api/call.h"

namespace tenure::daemon {

// Answers that were given to keys.
//
// Thread rule: any thread.
class AnsweredKeys {
 public:
  struct Answered {
    std::string body_hash;
    HttpResponse response;
  };
  std::optional<Answered> find(const std::string& key);
  void add(const std::string& key, Answered answered);

 private:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::int64_t kForSeconds = 24 * 60 * 60;
  struct Remembered {
    Answered answered;
    std::int64_t at = 0;  // in seconds
  };
  void forget_old(std::int64_t now);

  std::mutex mutex_;
  std::map<std::string, Remembered> kept_;
  std::deque<std::pair<std::int64_t, std::string>> order_;
};

// Calls `act` with the run's number: the key's, or a drawn one. Throws HttpProblem if the key was used with another
// body; what `act` throws is not remembered.
HttpResponse once(Call& call, ScheduleId schedule, const std::function<HttpResponse(std::uint64_t run)>& act);

}  // namespace tenure::daemon
