#include "daemon/api/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <utility>

#include "daemon/api/call.h"

namespace tenure::daemon {
namespace {

constexpr int kHeartbeatSeconds = 15;

}  // namespace

// ---- positions -----------------------------------------------------------------------------------------------

std::string text_of(const StreamPosition& position) {
  return fmt::format("{}.{}", position.branch, position.seq);
}

std::optional<StreamPosition> read_position(std::string_view text) {
  const auto whole = [](std::string_view digits, auto& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size();
  };
  StreamPosition position;
  if (text == "0") return position;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || !whole(text.substr(0, dot), position.branch) ||
      !whole(text.substr(dot + 1), position.seq) || position.branch == 0 || position.seq > INT64_MAX)
    return std::nullopt;
  return position;
}

bool wants_stream(const Call& call) {
  return call.request.field("accept").find("text/event-stream") != std::string_view::npos;
}

std::string asked_position(const Call& call) {
  const std::string_view last = call.request.field("last-event-id");
  return last.empty() ? call.parameter("after").value_or("") : std::string(last);
}

HttpProblem no_position() { return invalid("a position is `BRANCH.SEQ`, or `0`"); }

HttpProblem gone(const std::string& why) {
  return {.status = 410,
          .type = "gone",
          .title = "What follows this position is not known any more",
          .detail = why + "; read everything anew, and go on without a position"};
}

void check_position(const StreamPosition& position, const StreamBounds& bounds) {
  if (position.branch == 0) return;
  if (position.branch != bounds.branch) throw gone("the store has another branch");
  if (position.seq > bounds.last) throw gone("the store has no such position");
  if (position.seq < bounds.forgotten) throw gone("some were forgotten");
}

StreamPosition first_position(std::string_view text, const StreamBounds& bounds) {
  if (text.empty()) return {bounds.branch, bounds.last};
  const auto position = read_position(text);
  if (!position) throw no_position();
  if (text == "0") return {bounds.branch, bounds.forgotten};
  check_position(*position, bounds);
  return {bounds.branch, position->seq};
}

std::string event_text(const StreamPosition& id, std::string_view name, std::string_view data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", text_of(id), name, data);
}

// ---- those who follow ----------------------------------------------------------------------------------------

// One client. At any time it waits for a tick, reads a page, or waits for its client to take what was sent.
class EventStreams::Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(const Call& call, StorePool& pool, StreamReader read, StreamPosition position)
      : call_(call), pool_(pool), read_(std::move(read)), position_(position) {}

  void begin(std::shared_ptr<HttpStream> stream) {
    stream_ = std::move(stream);
    send("retry: 1000\n" + event_text(position_, "begin", "{}"));
  }
  bool is_over() const { return over_ || (stream_ != nullptr && stream_->closed()); }
  void tick() {
    if (!busy_.exchange(true)) read_on();
  }

 private:
  // REQUIRES of these: busy_.
  void read_on() {
    const bool taken = pool_.submit([self = shared_from_this()](PooledStore& store) { self->read(store); });
    if (!taken) busy_ = false;  // the next tick tries again
  }
  void read(PooledStore& store) {
    StreamPage page;
    try {
      call_.store = &store;
      call_.caller = call_.caller_now(call_.request);
      page = read_(call_, position_);
    } catch (const HttpProblem& problem) {
      if (problem.status == 410) return reset();
      // The client comes again with what it saw last, and is told why it may not have it.
      if (problem.status < 500) return end();
      busy_ = false;  // the store does not answer; the next tick tries again
      return;
    } catch (const std::exception&) {
      // A mistake of ours ends this stream, and not the program. The client comes again with what it saw last.
      return end();
    }
    position_ = page.end;
    more_ = page.more;
    if (page.events.empty() && more_) return read_on();
    if (page.events.empty() && ++quiet_ >= kHeartbeatSeconds)
      page.events = fmt::format("id: {}\n: still here\n\n", text_of(position_));
    if (page.events.empty()) {
      busy_ = false;
      return;
    }
    quiet_ = 0;
    send(std::move(page.events));
  }
  void send(std::string text) {
    stream_->send(std::move(text), [self = shared_from_this()](bool ok) {
      self->over_ = !ok;
      if (ok && self->more_) return self->read_on();
      self->busy_ = false;
    });
  }
  void end() {
    over_ = true;
    stream_->finish();
  }
  void reset() {
    over_ = true;
    stream_->send("event: reset\ndata: {}\n\n", [stream = stream_](bool) { stream->finish(); });
  }

  Call call_;
  StorePool& pool_;
  const StreamReader read_;
  StreamPosition position_;
  bool more_ = false;
  int quiet_ = 0;
  std::shared_ptr<HttpStream> stream_;
  std::atomic<bool> busy_ = true;  // until it has begun
  std::atomic<bool> over_ = false;
};

EventStreams::EventStreams(StorePool& pool, std::size_t most) : pool_(pool), most_(most) {}

EventStreams::~EventStreams() = default;

HttpResponse EventStreams::follow(const Call& call, StreamReader read, StreamPosition from) {
  const auto follower = std::make_shared<Follower>(call, pool_, std::move(read), from);
  {
    const std::lock_guard lock(mutex_);
    if (count() >= most_) {
      HttpProblem busy{.status = 503, .type = "busy", .title = "There are too many streams", .detail = {}};
      busy.fields.push_back({"Retry-After", "5"});
      throw busy;
    }
    answered_.push_back(follower);
  }
  HttpResponse response;
  response.fields = {{"Content-Type", "text/event-stream"}, {"X-Accel-Buffering", "no"}};
  response.begin_stream = [this, follower](std::shared_ptr<HttpStream> stream) {
    const std::lock_guard lock(mutex_);
    std::erase_if(answered_, [&](const auto& one) { return one.lock() == follower; });
    followers_.push_back(follower);
    follower->begin(std::move(stream));
  };
  return response;
}

void EventStreams::end() {
  const std::lock_guard lock(mutex_);
  followers_.clear();
}

void EventStreams::tick() {
  std::vector<std::shared_ptr<Follower>> all;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(answered_, [](const auto& one) { return one.expired(); });
    std::erase_if(followers_, [](const auto& one) { return one->is_over(); });
    all = followers_;
  }
  for (const auto& follower : all) follower->tick();
}

std::size_t EventStreams::count() const {
  const auto waits = [](const auto& one) { return !one.expired(); };
  const auto goes_on = [](const auto& one) { return !one->is_over(); };
  return static_cast<std::size_t>(std::count_if(answered_.begin(), answered_.end(), waits) +
                                  std::count_if(followers_.begin(), followers_.end(), goes_on));
}

std::size_t EventStreams::followers() const {
  const std::lock_guard lock(mutex_);
  return count();
}

}  // namespace tenure::daemon
