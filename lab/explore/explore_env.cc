#include "lab/explore/explore_env.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"

namespace tenure::lab::explore {

void ExploreEnv::stepping(const Input& input) {
  seen_.stepped = true;
  tell(seen_, [&] { return describe(input); });
}

void ExploreEnv::queued(const Effect& effect) {
  Packet packet;
  if (const auto* submit = std::get_if<SubmitEffect>(&effect)) {
    const Submission& submission = submit->submission;
    if (submission.as_leader) acts();
    tell(seen_, [&] { return fmt::format("asks #{} {}", submit->id.counter, describe(submission.request)); });
    packet.kind = Packet::Kind::request;
    packet.id = submit->id;
    packet.part = submission.part;
    packet.store = submission.store;
  } else {
    const auto* work = std::get_if<WorkEffect>(&effect);
    CHECK(work != nullptr, "why_not_explorable() refuses protocols that send messages");
    acts();
    const auto& token = work->item.token;
    tell(seen_, [&] { return token ? "decides to work under " + describe(*token) : "decides to work"; });
    packet.kind = Packet::Kind::work;
    packet.id = {local_.who(), 0};
    packet.overtaken = local_.overtaken;
  }
  local_.packets.push_back(std::move(packet));
}

// acts-within-belief: what only a leader may do is decided while the declared belief lasts.
void ExploreEnv::acts() {
  if (!rules_.believes(local_)) seen_.broken = Check::acts_within_belief;
}

void ExploreEnv::noted(const Note& note, bool believed) {
  tell(seen_, [&] { return describe(note); });
  if (!std::holds_alternative<Believes>(note) || believed || !rules_.believes(local_)) return;
  seen_.began = true;
  local_.overtaken = false;
}

std::uint64_t ExploreEnv::choose(std::uint64_t n, std::string_view) {
  if (n > 1) seen_.chose = true;
  return high_ ? n - 1 : 0;
}

std::uint64_t ExploreEnv::nonce(std::string_view) { return (std::uint64_t{1} << 63) + local_.node().value; }

}  // namespace tenure::lab::explore
