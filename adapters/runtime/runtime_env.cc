#include "adapters/runtime/runtime_env.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/runtime/entropy.h"
#include "core/base/check.h"
#include "core/base/hash.h"

namespace tenure {

void RuntimeEnv::stepping(const Input& input) {
  if (const auto* reply = std::get_if<StoreReplied>(&input)) heard(*reply);
  if (const auto* done = std::get_if<WorkDone>(&input)) loop_.journal_.write(now_, node_.driver.who(), *done);
  if (std::holds_alternative<StopAsked>(input)) loop_.journal_.write(now_, node_.driver.who(), StopAsked{});
}

void RuntimeEnv::heard(const StoreReplied& reply) {
  const Incarnation who = reply.id.incarnation;
  const auto asked = node_.asked.find(reply.id.counter);
  CHECK(asked != node_.asked.end(), "each request is answered once");
  loop_.journal_.answered(now_, reply, *answer_);
  if (const auto* committed = std::get_if<reference::Committed>(&answer_->reply))
    for (std::size_t i = 0; i < std::min(committed->rows.size(), asked->second.dues.size()); ++i)
      if (committed->rows[i] == reference::RowResult::covered)
        loop_.store_health_.covered(who, asked->second.dues[i]);
  loop_.store_health_.answered({who, reply.part, asked->second.kind, reply.sent_at, node_.hosted.resource},
                               *answer_, now_.mono);
  if (const auto* granted = std::get_if<reference::Granted>(&answer_->reply))
    if (answer_->outcome == RequestOutcome::applied) loop_.look_for_schedules(node_, granted->token.epoch);
  node_.asked.erase(asked);
  for (const std::string& warning : answer_->warnings)
    loop_.store_health_.say(Level::warning, fmt::format("node {}: {}", who.node.value, warning));
}

void RuntimeEnv::queued(const Effect& effect) {
  if (const auto* submit = std::get_if<SubmitEffect>(&effect)) {
    const auto* request = std::get_if<reference::Request>(&submit->submission.request);
    CHECK(request != nullptr, "a real store is a reference store");
    loop_.journal_.asked(now_, submit->id, submit->submission);
    RuntimeLoop::AskedRequest& asked = node_.asked[submit->id.counter];
    asked.kind = request->index();
    if (const auto* commit = std::get_if<reference::CommitFires>(request))
      for (const reference::LedgerRow& row : commit->rows) asked.dues.push_back(row.due);
  } else if (const auto* work = std::get_if<WorkEffect>(&effect)) {
    loop_.journal_.write(now_, node_.driver.who(), work->item);
  }
}

void RuntimeEnv::noted(const Note& note, bool) {
  loop_.journal_.write(now_, node_.driver.who(), note);
  if (node_.hosted.observe) node_.hosted.observe(note);
}

std::uint64_t RuntimeEnv::choose(std::uint64_t n, std::string_view) {
  CHECK(n > 0, "choose() needs something to choose from");
  return reduce(random_bits(), n);
}

std::uint64_t RuntimeEnv::nonce(std::string_view) { return random_bits() | 1; }

}  // namespace tenure
