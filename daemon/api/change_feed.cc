#include "daemon/api/change_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <utility>

#include "daemon/api/call.h"
#include "daemon/api/times.h"

namespace tenure::daemon {
namespace {

constexpr std::uint32_t kPage = 200;
constexpr int kHeartbeatSeconds = 15;

std::string_view name_of(reference::LogAction what) {
  switch (what) {
    case reference::LogAction::put: return "put";
    case reference::LogAction::paused: return "paused";
    case reference::LogAction::resumed: return "resumed";
    case reference::LogAction::deleted: break;
  }
  return "deleted";
}

HttpProblem gone(std::string detail) {
  return {.status = 410,
          .type = "gone",
          .title = "Changes after this position are not known any more",
          .detail = std::move(detail) + "; read everything anew, and go on without a position"};
}

// The branch, and the last number that was given.
ChangePosition present(PooledStore& store, ResourceId resource) {
  const Answer answer = store.ask(reference::ReadDue{resource, StoreTime::min(), 1, {}});
  const auto& due = expect<reference::Due>(answer);
  return {due.branch, due.change_seq};
}

std::string event_of(const reference::LogEntry& entry, std::uint32_t branch) {
  return fmt::format("id: {}.{}\nevent: change\ndata: {}\n\n", branch, entry.seq, dump(json_of(entry)));
}

}  // namespace

std::string text_of(const ChangePosition& position) {
  return fmt::format("{}.{}", position.branch, position.seq);
}

std::optional<ChangePosition> read_position(std::string_view text) {
  const auto whole = [](std::string_view digits, auto& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size();
  };
  ChangePosition position;
  if (text == "0") return position;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || !whole(text.substr(0, dot), position.branch) ||
      !whole(text.substr(dot + 1), position.seq) || position.seq > INT64_MAX)
    return std::nullopt;
  return position;
}

ChangePage read_changes(PooledStore& store, ResourceId resource, std::string_view text, std::uint32_t limit) {
  const auto position = read_position(text);
  if (!position) throw invalid("a position is `BRANCH.SEQ`, or `0`");
  const Answer answer = store.ask(reference::ReadLog{resource, position->seq, limit});
  const auto& log = expect<reference::Log>(answer);
  const ChangePosition now = present(store, resource);
  if (position->branch != 0 && position->branch != now.branch) throw gone("the store has another branch");
  if (position->seq > now.seq) throw gone("the store has no such position");
  if (position->branch != 0 && !log.entries.empty() && log.entries.front().seq != position->seq + 1)
    throw gone("some were forgotten");
  ChangePage page{log.entries, {now.branch, position->seq}, log.more};
  if (!page.entries.empty()) page.end.seq = page.entries.back().seq;
  return page;
}

Json json_of(const reference::LogEntry& entry) {
  Json json = {{"seq", entry.seq},
               {"name", entry.name},
               {"uid", entry.edition.schedule.value},
               {"version", entry.edition.version},
               {"what", name_of(entry.what)},
               {"by", entry.actor}};
  if (!entry.why.empty()) json["why"] = entry.why;
  json["at"] = print_utc(entry.at);
  return json;
}

// ---- those who follow --------------------------------------------------------------------------------------

// One client. At any time it waits for a tick, reads a page, or waits for its client to take what was sent.
class ChangeFeed::Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(StorePool& pool, ResourceId resource, ChangePosition position, Caller caller)
      : pool_(pool), resource_(resource), position_(position), caller_(std::move(caller)) {}

  void begin(std::shared_ptr<HttpStream> stream) {
    stream_ = std::move(stream);
    send(fmt::format("retry: 1000\nid: {}\nevent: begin\ndata: {{}}\n\n", text_of(position_)));
  }
  bool is_over() const { return over_ || (stream_ != nullptr && stream_->closed()); }
  void tick() {
    if (busy_.exchange(true)) return;
    const bool taken = pool_.submit([self = shared_from_this()](PooledStore& store) { self->read(store); });
    if (!taken) busy_ = false;  // the next tick tries again
  }

 private:
  void read(PooledStore& store) {
    std::string events;
    try {
      const ChangePage page = read_changes(store, resource_, text_of(position_), kPage);
      for (const reference::LogEntry& entry : page.entries)
        if (caller_.may_touch(entry.name)) events += event_of(entry, page.end.branch);
      position_ = page.end;
    } catch (const HttpProblem& problem) {
      if (problem.status == 410) return reset();
      busy_ = false;  // the store does not answer; the next tick tries again
      return;
    }
    if (events.empty() && ++quiet_ >= kHeartbeatSeconds) events = ": still here\n\n";
    if (events.empty()) {
      busy_ = false;
      return;
    }
    quiet_ = 0;
    send(std::move(events));
  }
  // REQUIRES: busy_.
  void send(std::string text) {
    stream_->send(std::move(text), [self = shared_from_this()](bool ok) {
      self->over_ = !ok;
      self->busy_ = false;
    });
  }
  void reset() {
    over_ = true;
    stream_->send("event: reset\ndata: {}\n\n", [stream = stream_](bool) { stream->finish(); });
  }

  StorePool& pool_;
  const ResourceId resource_;
  ChangePosition position_;
  const Caller caller_;
  std::shared_ptr<HttpStream> stream_;
  std::atomic<bool> busy_ = true;  // until it has begun
  std::atomic<bool> over_ = false;
  int quiet_ = 0;
};

ChangeFeed::ChangeFeed(StorePool& pool, ResourceId resource, std::size_t most)
    : pool_(pool), resource_(resource), most_(most) {}

ChangeFeed::~ChangeFeed() = default;

HttpResponse ChangeFeed::follow(Call& call, std::string_view position) {
  if (followers() >= most_) {
    HttpProblem busy{.status = 503, .type = "busy", .title = "Too many follow the changes", .detail = {}};
    busy.fields.push_back({"Retry-After", "5"});
    throw busy;
  }
  ChangePosition from = present(*call.store, resource_);
  if (!position.empty()) {
    read_changes(*call.store, resource_, position, 1);
    from = {from.branch, read_position(position)->seq};
    if (position == "0") from = first_position(*call.store, from);
  }
  const auto follower = std::make_shared<Follower>(pool_, resource_, from, call.caller);
  HttpResponse response;
  response.fields = {{"Content-Type", "text/event-stream"}, {"X-Accel-Buffering", "no"}};
  response.begin_stream = [this, follower](std::shared_ptr<HttpStream> stream) {
    const std::lock_guard lock(mutex_);
    followers_.push_back(follower);
    follower->begin(std::move(stream));
  };
  return response;
}

// Before the oldest change that is kept.
ChangePosition ChangeFeed::first_position(PooledStore& store, ChangePosition now) const {
  const Answer answer = store.ask(reference::ReadLog{resource_, 0, 1});
  const auto& entries = expect<reference::Log>(answer).entries;
  return {now.branch, entries.empty() ? now.seq : entries.front().seq - 1};
}

void ChangeFeed::end() {
  const std::lock_guard lock(mutex_);
  followers_.clear();
}

void ChangeFeed::tick() {
  std::vector<std::shared_ptr<Follower>> all;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(followers_, [](const auto& one) { return one->is_over(); });
    all = followers_;
  }
  for (const auto& follower : all) follower->tick();
}

std::size_t ChangeFeed::followers() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(followers_.begin(), followers_.end(), [](const auto& one) { return !one->is_over(); }));
}

}  // namespace tenure::daemon
