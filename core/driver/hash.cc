#include <algorithm>
#include <type_traits>

#include "core/driver/driver.h"

namespace tenure {
namespace {

void add_token(Hasher& hasher, const Canon& canon, const std::optional<Token>& token) {
  hasher.add(token.has_value());
  if (token) hasher.add(token->branch).add(token->epoch).add(canon.name(token->nonce));
}

// What is overdue is due.
std::int64_t left_until(const Canon& canon, MonoTime deadline) {
  return std::max(std::int64_t{0}, canon.offset(deadline));
}

}  // namespace

std::uint64_t Driver::connection_name(const Canon& canon, std::uint32_t life, Part part,
                                      std::uint32_t connection) {
  return canon.name((std::uint64_t{1} << 62) | (std::uint64_t{life} << 40) |
                    (std::uint64_t{connection} << 8) | static_cast<std::uint64_t>(part));
}

void Driver::hash(Hasher& hasher, const Canon& canon, HashRequest hash_request) const {
  hasher.add(who_).add(alive());
  if (!alive()) return;
  node_->hash(hasher, canon);
  hasher.add(stop_asked_).add(stopped_);
  hasher.add(timers_.size());
  for (const Timer& timer : timers_)
    hasher.add(timer.id.part).add(timer.id.name).add(left_until(canon, timer.deadline));
  for (std::uint8_t part = 0; part < 2; ++part)
    for (const std::optional<std::uint32_t>& newest : connections_[part].newest)
      if (newest) hasher.add(connection_name(canon, who_.number, static_cast<Part>(part), *newest));

  hasher.add(pending_.size());
  for (const Pending& pending : pending_) {
    hasher.add(canon.name(pending.id.counter)).add(pending.store).add(pending.part);
    hasher.add(pending.connection.has_value());
    if (pending.connection)
      hasher.add(connection_name(canon, who_.number, pending.part, *pending.connection));
    hasher.add(canon.offset(pending.sent_at)).add(left_until(canon, pending.deadline));
  }

  hasher.add(effects());
  for (std::size_t i = left_; i < queue_.size(); ++i) {
    hasher.add(queue_[i].index());
    if (const auto* submit = std::get_if<SubmitEffect>(&queue_[i])) {
      const Submission& submission = submit->submission;
      // What its deadline is and when it was submitted matters as long as it is pending, and no longer.
      hasher.add(canon.name(submit->id.counter)).add(submission.store).add(submission.part);
      hasher.add(submission.lane);
      hash_request(hasher, canon, submission.request);
    } else if (const auto* work = std::get_if<WorkEffect>(&queue_[i])) {
      const WorkItem& item = work->item;
      hasher.add(item.resource).add(item.event.schedule).add(item.event.slot).add(item.event.run);
      hasher.add(item.once).add(item.destination).add(item.sequence).add(item.attempt);
      add_token(hasher, canon, item.token);
    } else if (const auto* write = std::get_if<WriteEffect>(&queue_[i])) {
      hasher.add(write->item.resource).add(write->item.number);
      add_token(hasher, canon, write->item.token);
    } else {
      const auto& send = std::get<SendEffect>(queue_[i]);
      hasher.add(send.to).add(send.message.kind).add(send.message.words.size());
      for (const std::int64_t word : send.message.words) hasher.add(word);
    }
  }

  hasher.add(belief_.has_value());
  if (!belief_) return;
  add_token(hasher, canon, belief_->token);
  hasher.add(belief_->until.index());
  std::int64_t left = 1;  // Open
  if (const auto* until = std::get_if<MonoTime>(&belief_->until)) left = canon.offset(*until);
  if (const auto* until = std::get_if<WallTime>(&belief_->until)) left = canon.offset(*until);
  hasher.add(std::max(std::int64_t{0}, left));
}

}  // namespace tenure
