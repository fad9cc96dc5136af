#include "lab/tune/lease_watch.h"

#include <algorithm>

#include "sim/stores/record/requests.h"

namespace tenure::lab {
namespace {

// A read renews nothing.
bool is_read(const Request& request) {
  const auto* record = message_as<record::Request>(request);
  return record != nullptr && std::holds_alternative<record::Get>(*record);
}
// An attempt of client-go is a read and a write; or a write, and if that fails a read and a write.
bool begins_attempt(const Request& request, bool reads_first) {
  return message_as<record::Request>(request) == nullptr || is_read(request) == reads_first;
}

}  // namespace

LeaseWatch::LeaseWatch(const LeaseTerms& terms, std::int64_t start_ns) : terms_(terms), start_ns_(start_ns) {}

void LeaseWatch::see(sim::TrueTime now, const sim::Record& record) {
  if (const auto* submitted = std::get_if<sim::Submitted>(&record)) {
    last_[submitted->who].sent = now;
    if (leads(submitted->who) && !end_ && now < declared_end_ &&
        begins_attempt(submitted->submission.request, terms_.reads_first))
      ++attempts_;
  } else if (const auto* applied = std::get_if<sim::Applied>(&record)) {
    last_[applied->who].committed = now;
    if (!leads(applied->who) || is_read(applied->request)) return;
    commits_.push_back(now);
    while (commits_.front() <= now - terms_.wait) commits_.pop_front();
  } else if (const auto* noted = std::get_if<sim::Noted>(&record)) {
    take_note(now, *noted);
  } else if (const auto* died = std::get_if<sim::NodeDied>(&record); died != nullptr && leads(died->who)) {
    if (!renewals_)
      renewals_ = std::count_if(commits_.begin(), commits_.end(),
                                [&](sim::TrueTime commit) { return commit > now - terms_.wait; });
  }
}

void LeaseWatch::take_note(sim::TrueTime now, const sim::Noted& noted) {
  if (const auto* believes = std::get_if<Believes>(&noted.note)) {
    const bool over = end_ || now >= declared_end_;
    if (over || (leader_.number != 0 && !leads(noted.who))) return;
    if (const auto* wall = std::get_if<WallTime>(&believes->until))
      declared_end_ = sim::TrueTime::from_ns(wall->ns() - start_ns_);
    if (leads(noted.who)) return;
    leader_ = noted.who;
    const Last& last = last_[noted.who];
    anchored_ = terms_.from == BeliefFrom::send     ? last.sent
                : terms_.from == BeliefFrom::commit ? last.committed
                                                    : now;
  } else if (std::holds_alternative<StepsDown>(noted.note) && leads(noted.who) && !end_) {
    end_ = now;
  }
}

std::optional<Duration> LeaseWatch::belief() const {
  if (!end_) return std::nullopt;
  return std::min(*end_, declared_end_) - anchored_;
}

}  // namespace tenure::lab
