// How much a token's schedules are together, and whether its quota has room for more (docs/daemon.md#quotas).
//
// The store is asked before an edit, and not with it: edits of the same moment can exceed a quota together.
//
// Thread rule: of each class, its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/schedule/definition.h"
#include "daemon/api/call.h"

namespace tenure::daemon {

// The schedules of the caller's token, as one request makes them.
//
// Thread rule: as the call.
class TokenUsage {
 public:
  // REQUIRES: the call outlives it.
  explicit TokenUsage(Call& call) : call_(call) {}

  // Throws HttpProblem (429) if the schedule would exceed a quota, and takes more of it than it did before. Otherwise
  // it counts from now on.
  void put(const std::string& name, const Definition& definition);

 private:
  void read();
  [[noreturn]] void refuse(std::string_view quota, std::int64_t allowed, const std::string& wanted) const;

  Call& call_;
  bool read_ = false;
  StoreTime now_;
  std::map<std::string, std::int64_t> slots_;  // within an hour, by name
  std::int64_t total_ = 0;
};

// Runs that tokens have asked for. A token may ask for as many at once as its schedules fire within a minute, at least for
// one backfill's, and then for as many as they fire.
//
// Thread rule: any thread.
class RunBudget {
 public:
  using Clock = std::chrono::steady_clock;
  // How long it takes until there is room for them; nullopt: there is, and it is used up now.
  std::optional<Duration> take(const std::string& token, std::int64_t per_second, std::int64_t runs,
                               Clock::time_point now);

 private:
  struct Left {
    std::int64_t millis = 0;  // of a run
    Clock::time_point at;
  };
  std::mutex mutex_;
  std::map<std::string, Left> left_;  // of tokens that have asked: as many as the configuration has
};

// Throws HttpProblem (429) if the caller's token has asked for too many.
void check_runs(const Call& call, std::int64_t runs);

}  // namespace tenure::daemon
