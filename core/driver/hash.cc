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
  StateHasher state(hasher, canon);
  fold(state, who_, alive());
  if (!alive()) return;
  node_->hash(hasher, canon);
  fold(state, stop_asked_, stopped_, timers_.size());
  for (const Timer& timer : timers_)
    fold(state, timer.id.part, timer.id.name, left_until(canon, timer.deadline));
  for (std::uint8_t part = 0; part < 2; ++part)
    for (const std::optional<std::uint32_t>& newest : connections_[part].newest)
      if (newest) state.add(connection_name(canon, who_.number, static_cast<Part>(part), *newest));

  state.add(pending_.size());
  for (const Pending& pending : pending_) {
    const auto& [id, store, part, sent_at, deadline, connection] = pending;
    fold(state, id, store, part, connection.has_value());
    if (connection) state.add(connection_name(canon, who_.number, part, *connection));
    fold(state, sent_at, left_until(canon, deadline));
  }

  state.add(effects());
  for (std::size_t i = left_; i < queue_.size(); ++i) {
    state.add(queue_[i].index());
    if (const auto* submit = std::get_if<SubmitEffect>(&queue_[i])) {
      // What its deadline is and when it was submitted matters as long as it is pending, and no longer.
      const Submission& submission = submit->submission;
      fold(state, submit->id, submission.store, submission.part, submission.lane);
      hash_request(hasher, canon, submission.request);
    } else if (const auto* work = std::get_if<WorkEffect>(&queue_[i])) {
      const auto& [resource, event, token, once, destination, sequence, attempt] = work->item;
      fold(state, resource, event.schedule, event.slot, event.run, once, destination, sequence, attempt);
      add_token(hasher, canon, token);
    } else if (const auto* write = std::get_if<WriteEffect>(&queue_[i])) {
      fold(state, write->item.resource, write->item.number);
      add_token(hasher, canon, write->item.token);
    } else {
      const auto& [to, message] = std::get<SendEffect>(queue_[i]);
      fold(state, to, message.kind, message.words);
    }
  }

  state.add(belief_.has_value());
  if (!belief_) return;
  add_token(hasher, canon, belief_->token);
  state.add(belief_->until.index());
  std::int64_t left = 1;  // Open
  if (const auto* until = std::get_if<MonoTime>(&belief_->until)) left = canon.offset(*until);
  if (const auto* until = std::get_if<WallTime>(&belief_->until)) left = canon.offset(*until);
  state.add(std::max(std::int64_t{0}, left));
}

}  // namespace tenure
