#include "adapters/webhook/webhook_client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "adapters/webhook/cloud_event.h"
#include "adapters/webhook/transfer.h"
#include "core/base/check.h"

namespace tenure::webhook {
namespace {

constexpr int kPollMillis = 1'000;

void start_curl() {
  static std::once_flag once;
  std::call_once(once, [] { CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "libcurl starts"); });
}

std::int64_t unix_seconds() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

void answer(const WebhookClient::Done& done, WebhookResult::Kind kind, std::string why) {
  WebhookResult result;
  result.kind = kind;
  result.reason = std::move(why);
  done(result);
}
void answer_not_sent(const WebhookClient::Done& done, std::string why) {
  answer(done, WebhookResult::Kind::not_sent, std::move(why));
}

}  // namespace

// What the thread owns is below; what it shares with callers is guarded by mutex_.
class WebhookClient::Worker {
 public:
  explicit Worker(std::vector<WebhookDestination> destinations)
      : multi_(curl_multi_init()), destinations_(std::move(destinations)) {
    CHECK(multi_ != nullptr, "libcurl has memory");
    thread_ = std::thread([this] { run(); });
  }
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
    curl_multi_cleanup(multi_);
  }

  void add(WebhookDelivery delivery, Done done) {
    {
      const std::lock_guard lock(mutex_);
      inbox_.push_back({std::move(delivery), std::move(done)});
    }
    curl_multi_wakeup(multi_);
  }

  void replace(std::vector<WebhookDestination> destinations) {
    {
      const std::lock_guard lock(mutex_);
      destinations_ = std::move(destinations);
    }
    curl_multi_wakeup(multi_);
  }

  bool drain(Duration bound) {
    std::unique_lock lock(mutex_);
    draining_ = true;
    idle_ = false;
    curl_multi_wakeup(multi_);
    return became_idle_.wait_for(lock, std::chrono::nanoseconds(bound.ns()), [this] { return idle_; });
  }

 private:
  struct Job {
    WebhookDelivery delivery;
    Done done;
  };

  struct DestinationQueue {
    std::shared_ptr<const WebhookDestination> destination;  // null: it is no more, and some are in flight
    std::deque<Job> waiting;
    std::size_t in_flight = 0;
  };

  struct InFlight {
    std::unique_ptr<Transfer> transfer;
    std::string destination;
    Done done;
  };

  void run() {
    // OpenSSL writes to sockets that may be closed.
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
    while (take_orders()) {
      begin_what_may();
      int running = 0;
      curl_multi_perform(multi_, &running);
      const bool ended = finish_what_ended();
      tell_when_idle();
      // Where one has ended another may begin, and nothing would wake the poll for it.
      if (!ended && !has_orders()) curl_multi_poll(multi_, nullptr, 0, kPollMillis, nullptr);
    }
    give_up();
  }

  // False when the client is being destroyed.
  bool take_orders() {
    std::vector<Job> jobs;
    std::optional<std::vector<WebhookDestination>> replaced;
    bool stopping = false;
    {
      const std::lock_guard lock(mutex_);
      jobs.swap(inbox_);
      replaced.swap(destinations_);
      stopping = stopping_;
      closed_ = draining_ || stopping_;
    }
    if (replaced) use(std::move(*replaced));
    for (Job& job : jobs) enqueue(std::move(job));
    return !stopping;
  }

  bool has_orders() {
    const std::lock_guard lock(mutex_);
    return stopping_ || !inbox_.empty() || destinations_.has_value() || (draining_ && !closed_);
  }

  void use(std::vector<WebhookDestination> destinations) {
    for (auto& [name, queue] : queues_) queue.destination = nullptr;
    for (WebhookDestination& each : destinations) {
      DestinationQueue& queue = queues_[each.name];
      queue.destination = std::make_shared<const WebhookDestination>(std::move(each));
    }
    for (auto& [name, queue] : queues_)
      if (queue.destination == nullptr)
        empty(queue, fmt::format("there is no destination `{}` any more", name));
    forget_if_over();
  }

  void forget_if_over() {
    std::erase_if(queues_, [](const auto& each) {
      return each.second.destination == nullptr && each.second.in_flight == 0;
    });
  }

  static void empty(DestinationQueue& queue, const std::string& why) {
    for (std::deque<Job> left = std::exchange(queue.waiting, {}); const Job& job : left)
      answer_not_sent(job.done, why);
  }

  void enqueue(Job job) {
    const std::string& name = job.delivery.destination;
    const auto found = queues_.find(name);
    if (found == queues_.end() || found->second.destination == nullptr)
      return answer_not_sent(job.done, fmt::format("there is no destination `{}`", name));
    DestinationQueue& queue = found->second;
    if (closed_) return answer_not_sent(job.done, "the program is ending");
    if (!job.delivery.data.empty() && !is_json(job.delivery.data))
      return answer(job.done, WebhookResult::Kind::failed, "its data is no JSON");
    const WebhookDestination& limits = *queue.destination;
    if (queue.in_flight + queue.waiting.size() >= limits.in_flight + limits.waiting)
      return answer_not_sent(job.done,
                             fmt::format("{} deliveries wait for this destination", limits.waiting));
    queue.waiting.push_back(std::move(job));
  }

  void begin_what_may() {
    for (auto& [name, queue] : queues_) {
      if (closed_) empty(queue, "the program is ending");
      while (!queue.waiting.empty() && queue.in_flight < queue.destination->in_flight) {
        Job job = std::move(queue.waiting.front());
        queue.waiting.pop_front();
        auto transfer = std::make_unique<Transfer>(queue.destination, job.delivery, unix_seconds());
        void* const handle = transfer->handle();
        CHECK(curl_multi_add_handle(multi_, handle) == CURLM_OK, "libcurl takes the request");
        in_flight_.emplace(handle, InFlight{std::move(transfer), name, std::move(job.done)});
        ++queue.in_flight;
      }
    }
  }

  // Whether anything has.
  bool finish_what_ended() {
    bool any = false;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      any = true;
      const int code = message->data.result;
      const auto found = in_flight_.find(message->easy_handle);
      CHECK(found != in_flight_.end(), "it is one of ours");
      const InFlight ended = std::move(found->second);
      in_flight_.erase(found);
      const WebhookResult result = ended.transfer->result(code);
      curl_multi_remove_handle(multi_, ended.transfer->handle());
      --queues_.at(ended.destination).in_flight;
      ended.done(result);
    }
    forget_if_over();
    return any;
  }

  void tell_when_idle() {
    if (!closed_ || !in_flight_.empty()) return;
    const std::lock_guard lock(mutex_);
    idle_ = true;
    became_idle_.notify_all();
  }

  void give_up() {
    for (auto& [name, queue] : queues_) empty(queue, "the program is ending");
    for (auto& [handle, each] : in_flight_) {
      curl_multi_remove_handle(multi_, handle);
      answer(each.done, WebhookResult::Kind::failed, "the program ended before an answer came");
    }
    in_flight_.clear();
  }

  CURLM* multi_;
  std::map<std::string, DestinationQueue> queues_;  // by name
  std::map<void*, InFlight> in_flight_;             // by handle
  bool closed_ = false;                             // nothing begins any more

  std::mutex mutex_;
  std::condition_variable became_idle_;
  std::vector<Job> inbox_;
  std::optional<std::vector<WebhookDestination>> destinations_;  // to be used from now on
  bool stopping_ = false;
  bool draining_ = false;
  bool idle_ = false;

  std::thread thread_;
};

WebhookClient::WebhookClient(std::vector<WebhookDestination> destinations) {
  start_curl();
  worker_ = std::make_unique<Worker>(std::move(destinations));
}
WebhookClient::~WebhookClient() = default;

void WebhookClient::deliver(WebhookDelivery delivery, Done done) {
  worker_->add(std::move(delivery), std::move(done));
}
void WebhookClient::set_destinations(std::vector<WebhookDestination> destinations) {
  worker_->replace(std::move(destinations));
}
bool WebhookClient::drain(Duration bound) { return worker_->drain(bound); }

}  // namespace tenure::webhook
