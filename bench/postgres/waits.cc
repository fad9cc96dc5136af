#include "bench/postgres/waits.h"

#include <algorithm>
#include <utility>

#include "bench/postgres/owner_connection.h"

namespace tenure {
namespace {

constexpr std::chrono::microseconds kBetweenLooks{300};

}  // namespace

WaitSampler::WaitSampler(const std::string& application)
    : process_(application), thread_([this] { look(); }) {}

WaitSampler::~WaitSampler() {
  over_ = true;
  thread_.join();
}

void WaitSampler::look() {
  OwnerConnection server;
  const std::string activity = fmt::format(
      "SELECT coalesce(wait_event_type || ' ' || wait_event, 'no wait') FROM pg_stat_get_activity({})",
      process_.pid());
  while (!over_) {
    const auto at = Steady::now();
    std::string wait = server.ask(activity);
    {
      const std::lock_guard lock(mutex_);
      looks_.push_back({at, std::move(wait)});
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

std::string WaitSampler::text(std::chrono::microseconds longer_than) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, int> seen;
  int late = 0;
  int looks = 0;
  std::int64_t took_ns = 0;
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;
  for (const Request& request : requests_) {
    if (request.end - request.begin <= longer_than) continue;
    ++late;
    took_ns += std::chrono::nanoseconds(request.end - request.begin).count();
    ran_ns += request.ran_ns;
    waited_ns += request.waited_ns;
    for (auto look = std::lower_bound(looks_.begin(), looks_.end(), request.begin,
                                      [](const Look&a, Steady::time_point at) { return a.at < at; });
         look != looks_.end() && look->at < request.end; ++look) {
      ++seen[look->wait];
      ++looks;
    }
  }
  if (late == 0) return "none";
  std::string text = fmt::format(
      "{} of {}, {} us each: {} us on a CPU, {} us ready and without one; {} looks:", late, requests_.size(),
      took_ns / late / 1'000, ran_ns / late / 1'000, waited_ns / late / 1'000, looks);
  for (const auto& [wait, count] : seen) text += fmt::format(" {} {};", wait, count);
  text.back() = '\n';
  return text;
}

}  // namespace tenure
