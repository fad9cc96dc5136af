// How many webhooks a second, and how long each takes: from `deliver` to the answer, signed, over kept connections.
//
//   bench/webhook/quick_sink.py                                        # prints its port
//   build/release/bin/webhook_bench PORT [PER_SECOND] [SECONDS]       # 500 a second, for 10 s
//
// bench/webhook/run.sh does both. Events are offered at an even pace, whatever becomes of those before them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/webhook/webhook_client.h"

namespace {

using namespace tenure;
using std::chrono::steady_clock;

struct Tally {
  std::mutex mutex;
  std::vector<double> millis;
  std::size_t failed = 0;
};

webhook::WebhookDestination destination(const std::string& port) {
  webhook::WebhookDestination made;
  made.name = "sink";
  made.url = "http://127.0.0.1:" + port + "/";
  made.allow = {*webhook::read_ip_network("127.0.0.1")};
  made.keys = {webhook::SigningKey(std::string(32, 'k'))};
  made.waiting = 100'000;
  return made;
}

webhook::WebhookDelivery delivery(std::size_t number) {
  webhook::WebhookDelivery made;
  made.destination = "sink";
  made.event_id = fmt::format("2ed6657d-e927-568b-95e1-{:012x}", number);
  made.source = "/tenure/bench";
  made.schedule = fmt::format("job-{}", number % 100);
  made.data = R"({"customer":1234,"what":")" + std::string(300, 'x') + "\"}";
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print("usage: webhook_bench PORT [PER_SECOND] [SECONDS]\n"), 64;
  const double rate = argc > 2 ? std::atof(argv[2]) : 500;
  const auto count = static_cast<std::size_t>(rate * (argc > 3 ? std::atof(argv[3]) : 10));
  Tally tally;
  const auto begin = steady_clock::now();
  {
    webhook::WebhookClient client({destination(argv[1])});
    for (std::size_t i = 0; i < count; ++i) {
      std::this_thread::sleep_until(
          begin + std::chrono::nanoseconds(static_cast<long>(1e9 * static_cast<double>(i) / rate)));
      const auto offered = steady_clock::now();
      client.deliver(delivery(i), [&tally, offered](const webhook::WebhookResult& result) {
        const std::lock_guard lock(tally.mutex);
        tally.millis.push_back(
            std::chrono::duration<double, std::milli>(steady_clock::now() - offered).count());
        if (result.kind != webhook::WebhookResult::Kind::delivered) ++tally.failed;
      });
    }
    for (bool all = false; !all;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(tally.mutex);
      all = tally.millis.size() == count;
    }
  }
  const double seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  std::sort(tally.millis.begin(), tally.millis.end());
  const auto at = [&](double share) {
    return tally.millis[static_cast<std::size_t>(share * static_cast<double>(count - 1))];
  };
  fmt::print("{} webhooks in {:.2f} s: {:.0f} a second, {} failed\n", count, seconds,
             static_cast<double>(count) / seconds, tally.failed);
  fmt::print("offer to answer: p50 {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms\n", at(0.5), at(0.99), at(1));
  return tally.failed == 0 ? 0 : 1;
}
