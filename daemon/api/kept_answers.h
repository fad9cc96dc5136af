// Answers that are kept for clients who take one that is a little old, and spare the store.
//
// A client says how old (RFC 9111, 5.2.1.1): `Cache-Control: max-age=5` in a GET. An answer that is given from here says
// its age. Only answers to such requests are kept; who does not ask for it is always answered by the store.
//
//   1. An answer is as old as the request to which the store gave it.
//   2. It is for the same path, the same query and a caller who may see as much (Caller).
//   3. Together they take a bounded number of bytes. The oldest go first.
//
// Thread rule: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "daemon/api/call.h"

namespace tenure::daemon {

class KeptAnswers {
 public:
  using Clock = std::chrono::steady_clock;

  // `most_bytes`: of all that is kept. An answer of more than a sixteenth of it is not kept.
  explicit KeptAnswers(std::size_t most_bytes = std::size_t{16} << 20) : most_bytes_(most_bytes) {}

  // How old an answer this request takes; nullopt: the store is to be asked.
  static std::optional<std::chrono::seconds> age_taken(const HttpRequest& request);
  // What an answer to this call is kept under.
  static std::string key_of(const Call& call);

  // With its age; nullopt: there is none that was asked for within `age` before `now`.
  std::optional<HttpResponse> find(const std::string& key, std::chrono::seconds age, Clock::time_point now);
  // `asked_at`: when the request came that it answers. It may decide not to keep it.
  void keep(const std::string& key, const HttpResponse& response, Clock::time_point asked_at);

 private:
  struct KeptAnswer {
    HttpResponse response;
    Clock::time_point asked_at;
    std::size_t bytes = 0;
    std::uint64_t number = 0;
  };
  void forget(std::map<std::string, KeptAnswer>::iterator kept);

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::map<std::string, KeptAnswer> kept_;
  std::map<std::uint64_t, std::string> by_number_;  // the keys, in the order in which answers were kept
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace tenure::daemon
