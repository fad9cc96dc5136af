#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/lease/fenced_lease/fenced_lease.h"
#include "core/model/describe.h"
#include "lab/audit/evidence.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kGrantedAsAsked = "granted-as-asked";
constexpr std::string_view kActsSaySo = "acts-say-so";

// nullopt: of a request that is not about having a lease.
std::optional<Duration> lease_asked_for(const Request& request) {
  if (const auto* acquire = sim::reference_request<reference::Acquire>(request)) return acquire->duration;
  if (const auto* renew = sim::reference_request<reference::Renew>(request)) return renew->duration;
  return std::nullopt;
}

// A life that says so, and never asks for a lease here.
bool is_elected_elsewhere(const LifeHistory& life) {
  return life.began() != nullptr && !life.began()->election.empty() &&
         std::none_of(life.calls.begin(), life.calls.end(), [](const JournalCall& call) {
           return is_about_the_lease(call.asked->submission.request);
         });
}

std::string kind_of(const Request& request) {
  const std::string text = describe(std::get<reference::Request>(request), NodeNames::by_id);
  return text.substr(0, text.find(' '));
}

// One life as the leader of one resource.
struct LedResource {
  struct Grant {
    Token token;
    MonoTime heard;
    MonoTime until;  // what it allows
  };
  std::vector<Grant> grants;  // that may cover a belief
  std::optional<Token> finished;
  std::string_view why_finished;
  std::optional<Token> newest;  // that it was granted
  std::optional<Believes> belief;
  bool refused = false;          // by the last line: its belief's renewal
  bool unused = false;           // likewise: a grant that it is to believe in
  std::set<std::uint64_t> told;  // epochs
  std::vector<Token> granted;
};

class LeadershipOfLife : Evidence {
 public:
  LeadershipOfLife(const Evidence& evidence, Incarnation who, const LifeHistory& life)
      : Evidence(evidence),
        life_(life),
        who_(names_.who(who)),
        drift_(setting("election.max_clock_drift_ppm")),
        guard_(Duration::nanos(setting("election.guard"))),
        lease_(life.setting("election.lease_duration")),
        elects_elsewhere_(is_elected_elsewhere(life)) {
    knows_all_ = life.begins();
    if (!life.begins_late()) return;
    Duration longest;
    for (const JournalCall& call : life.calls)
      longest = std::max(longest, lease_asked_for(call.asked->submission.request).value_or(Duration{}));
    const MonoTime begun = life.lines.front().mono();
    may_be_older_until_ = longest > Duration{} ? begun + longest : MonoTime::max();
  }

  void compare() {
    for (const LifeLine& line : life_.lines) {
      at_ = line.at;
      now_ = line.mono();
      judge_last_line(line);
      if (const auto* asked = line.as<journal::Asked>()) take_asked(*asked);
      if (const auto* answered = line.as<journal::Answered>()) take_answered(*line.line, *answered);
      if (const auto* note = line.as<Note>()) take_note(*note);
    }
  }

 private:
  struct AskedLease {
    MonoTime sent;
    const Request* request = nullptr;
    std::uint32_t branch = 0;  // the latest of the store that it had heard of
  };

  // No less than zero, which is also what is not told.
  std::int64_t setting(const char* name) const {
    return std::max<std::int64_t>(life_.setting(name).value_or(0), 0);
  }

  void take_note(const Note& note) {
    if (const auto* believes = std::get_if<Believes>(&note)) return believe(*believes);
    if (const auto* down = std::get_if<StepsDown>(&note)) {
      LedResource& led = led_[down->resource];
      // A grant that was heard in the same step is newer than the belief that ended: it may be believed in.
      std::erase_if(led.grants, [&](const LedResource::Grant& grant) { return grant.heard < now_; });
      led.belief.reset();
    } else if (std::holds_alternative<Stopped>(note)) {
      stopped_ = true;
      for (auto& [resource, led] : led_)
        if (lasts(led)) violate_belief(resource, *led.belief, "stopped, and believed that it leads");
    }
  }

  void take_asked(const journal::Asked& asked) {
    const Request& request = asked.submission.request;
    asked_[asked.id] = {now_, &request, branch_};
    if (const auto duration = lease_asked_for(request); duration && lease_ && duration->ns() != *lease_)
      findings_.violate(
          kGrantedAsAsked, at_,
          fmt::format("{} asked for a lease of {} at {}, and its settings say {}", who_, describe(*duration),
                      sim::time_text(at_), describe(Duration::nanos(*lease_))));
    if (is_a_leaders(request) && !asked.submission.as_leader)
      findings_.violate(kActsSaySo, at_,
                        fmt::format("{} asked to {} at {}, and did not say that only a leader may", who_,
                                    kind_of(request), sim::time_text(at_)));
    const ResourceId resource = sim::resource_of(request);
    if (const auto* acquire = sim::reference_request<reference::Acquire>(request)) judge_acquire(*acquire);
    if (const auto* release = sim::reference_request<reference::Release>(request)) {
      LedResource& led = led_[resource];
      if (lasts(led) && led.belief->token == release->token)
        violate_belief(resource, *led.belief, "gave back the lease that it believed in");
      finish(led, release->token, "which it had given back");
      if (knows_all_ &&
          std::find(led.granted.begin(), led.granted.end(), release->token) == led.granted.end())
        findings_.violate(
            kGrantedAsAsked, at_,
            fmt::format("{} gave back {} of {} at {}, and had not been granted that", who_,
                        describe(release->token), resource_text(resource), sim::time_text(at_)));
    }
  }
  // It is a standby that asks, and what it has seen it was told.
  void judge_acquire(const reference::Acquire& acquire) {
    const LedResource& led = led_[acquire.resource];
    if (led.belief) lacks("asked for the lease, and does not say that it had stepped down");
    if (knows_all_ && acquire.epoch_seen > 0 && !led.told.contains(acquire.epoch_seen))
      lacks(fmt::format("had seen epoch {}, and no answer told it", acquire.epoch_seen));
  }
  void take_answered(const journal::Line& line, const journal::Answered& answered) {
    const auto call = asked_.find(answered.id);
    if (call == asked_.end() || answered.outcome != RequestOutcome::applied) return;
    const Request& request = *call->second.request;
    judge_branch(line, answered, call->second);
    if (!is_about_the_lease(request)) return;
    LedResource& led = led_[sim::resource_of(request)];
    const auto* renew = sim::reference_request<reference::Renew>(request);
    const auto* acquire = sim::reference_request<reference::Acquire>(request);
    if (const auto* granted = answered.reply_as<reference::Granted>();
        granted != nullptr && lease_asked_for(request)) {
      judge_grant(*lease_asked_for(request), renew, *granted);
      judge_epoch(granted->token, acquire);
      const Duration belief = fenced_lease_belief(granted->duration, drift_, guard_);
      led.grants.push_back({granted->token, now_, call->second.sent + belief});
      led.told.insert(granted->token.epoch);
      led.granted.push_back(granted->token);
      if (!led.newest || led.newest->older_than(granted->token)) led.newest = granted->token;
      // Whoever has just given one back may leave a grant to an earlier request as it is.
      const bool free = lease_ && (!led.finished || led.belief);
      if (free && !stopped_ && led.grants.back().until > std::max(now_, end_of(led))) led.unused = true;
    } else if (const auto* refused = answered.reply_as<reference::Refused>()) {
      judge_refusal(*refused, call->first.incarnation);
      led.told.insert(refused->epoch);
      if (renew == nullptr) return;
      finish(led, renew->token, "a renewal of which was refused");
      if (lasts(led) && led.belief->token == renew->token) led.refused = true;
    }
  }
  void judge_grant(Duration asked, const reference::Renew* renew, const reference::Granted& granted) {
    findings_.examined(kGrantedAsAsked);
    longest_ = std::max(longest_, asked);
    if (granted.duration > longest_)
      findings_.violate(kGrantedAsAsked, at_,
                        fmt::format("{} was granted a lease of {} at {}, and had asked for {}", who_,
                                    describe(granted.duration), sim::time_text(at_), describe(asked)));
    if (renew != nullptr && granted.token != renew->token)
      findings_.violate(kGrantedAsAsked, at_,
                        fmt::format("{} renewed {} at {}, and was granted {}", who_, describe(renew->token),
                                    sim::time_text(at_), describe(granted.token)));
  }

  // Who acquires is granted the epoch after the one that it saw, or its own again.
  void judge_epoch(const Token& token, const reference::Acquire* acquire) {
    if (acquire != nullptr && token.epoch != acquire->epoch_seen && token.epoch != acquire->epoch_seen + 1)
      findings_.violate(kGrantedAsAsked, at_,
                        fmt::format("{} was granted epoch {} at {}, and had seen epoch {}", who_, token.epoch,
                                    time_text(at_), acquire->epoch_seen));
  }
  // A store goes from branch to branch, and takes nothing that is of another one than its own. Before version 5, the
  // change feed may tell none.
  void judge_branch(const journal::Line& line, const journal::Answered& answered, const AskedLease& asked) {
    const auto* changes = answered.reply_as<reference::Changes>();
    if (changes != nullptr && changes->branch == 0 && line.version < journal::kClientsSince) return;
    const auto* granted = answered.reply_as<reference::Granted>();
    const auto shown = answered.changed ? sim::token_shown(*asked.request) : std::nullopt;
    if (changes == nullptr && granted == nullptr && !shown) return;
    const std::uint32_t branch = changes != nullptr   ? changes->branch
                                 : granted != nullptr ? granted->token.branch
                                                      : shown->branch;
    if (branch < asked.branch)
      findings_.violate(
          kGrantedAsAsked, at_,
          fmt::format("{} was answered by branch {} of the store at {}, and it had told branch {} "
                      "before",
                      who_, branch, time_text(at_), asked.branch));
    branch_ = std::max(branch_, branch);
  }
  // Its reason is the holder that it names.
  void judge_refusal(const reference::Refused& refused, Incarnation asker) {
    const bool free = refused.why == reference::Denial::no_lease && refused.holder.number != 0;
    const bool others = refused.why == reference::Denial::other_holder && refused.holder == asker;
    if (free || others)
      findings_.violate(
          kGrantedAsAsked, at_,
          fmt::format("{} was refused at {} ({}), and was told that {} holds the lease", who_,
                      sim::time_text(at_), tenure::name_of(refused.why), others ? "it" : "somebody"));
  }

  void believe(const Believes& belief) {
    LedResource& led = led_[belief.resource];
    led.belief = belief;
    const auto* until = std::get_if<MonoTime>(&belief.until);
    const MonoTime end = until != nullptr ? *until : MonoTime::max();
    if (end <= may_be_older_until_ || (elects_elsewhere_ && !belief.token)) return;
    findings_.examined(kBeliefWithinGrant);
    if (!belief.token) return violate_belief(belief.resource, belief, "believes without a token");
    if (led.finished && !led.finished->older_than(*belief.token))
      return violate_belief(belief.resource, belief,
                            fmt::format("believes under a token {}", led.why_finished));
    if (led.newest && belief.token->older_than(*led.newest))
      return violate_belief(belief.resource, belief, "believes under a token that a later one has followed");
    std::optional<MonoTime> allowed;
    for (const LedResource::Grant& grant : led.grants)
      if (grant.token == belief.token) allowed = std::max(allowed.value_or(grant.until), grant.until);
    if (!allowed)
      violate_belief(belief.resource, belief, "believes, and no answer had granted it the lease by then");
    else if (end > *allowed)
      violate_belief(belief.resource, belief,
                     until == nullptr ? std::string("believes without an end")
                                      : fmt::format("believes for {} longer than its grants allow",
                                                    describe(end - *allowed)));
  }

  // A refusal ends the belief in the step that hears of it, and a grant is believed in or given back: the next line
  // says so.
  void judge_last_line(const LifeLine& next) {
    const bool down = next.note<StepsDown>() != nullptr;
    const bool used = down || next.as<journal::LifeEnded>() != nullptr || next.note<Believes>() != nullptr ||
                      next.note<Annotation>() != nullptr;
    for (auto& [resource, led] : led_) {
      if (std::exchange(led.unused, false) && !used)
        lacks("was granted the lease, and does not say that it believes in it");
      if (!std::exchange(led.refused, false) || down) continue;
      violate_belief(resource, *led.belief, "believed on when its renewal had been refused");
      led.belief.reset();
    }
  }

  bool lasts(const LedResource& led) const {
    if (!led.belief) return false;
    const auto* until = std::get_if<MonoTime>(&led.belief->until);
    return until == nullptr || now_ < *until;
  }
  MonoTime end_of(const LedResource& led) const {
    const auto* until = led.belief ? std::get_if<MonoTime>(&led.belief->until) : nullptr;
    return until != nullptr ? *until : MonoTime::min();
  }
  static void finish(LedResource& led, const Token& token, std::string_view why) {
    if (led.finished && token.older_than(*led.finished)) return;
    led.finished = token;
    led.why_finished = why;
  }
  void lacks(const std::string& what) {
    findings_.lacks(fmt::format("{} {}, at {}: lines are missing", who_, what, sim::time_text(at_)));
  }
  void violate_belief(ResourceId resource, const Believes& belief, const std::string& what) {
    findings_.violate(kBeliefWithinGrant, at_,
                      fmt::format("{} {}: {}{}, at {}", who_, what, resource_text(resource),
                                  belief.token ? ", " + describe(*belief.token) : "", sim::time_text(at_)));
  }

  const LifeHistory& life_;
  const std::string who_;
  const std::int64_t drift_;
  const Duration guard_;
  const std::optional<std::int64_t>
      lease_;  // ns; nullopt: it does not say, and so neither what a grant allows
  const bool elects_elsewhere_;
  MonoTime may_be_older_until_ = MonoTime::min();
  Duration longest_;       // lease that it has asked for so far and was granted
  bool knows_all_ = true;  // what it was told; not before version 4
  bool stopped_ = false;
  std::uint32_t branch_ = 0;  // the latest of the store that it has heard of
  sim::TrueTime at_;
  MonoTime now_;
  std::map<RequestId, AskedLease> asked_;
  std::map<ResourceId, LedResource> led_;
};

}  // namespace

bool is_a_leaders(const Request& request) {
  return sim::reference_request<reference::CommitFires>(request) != nullptr ||
         sim::reference_request<reference::SetHold>(request) != nullptr ||
         sim::reference_request<reference::ClearHold>(request) != nullptr ||
         sim::reference_request<reference::GiveUpEvents>(request) != nullptr;
}

std::string elections_elsewhere(const Evidence& evidence) {
  std::set<std::string> elections;
  for (const auto& [who, life] : evidence.history_.lives)
    if (is_elected_elsewhere(life)) elections.insert(life.began()->election);
  return fmt::format("{}", fmt::join(elections, ", "));
}

void compare_leadership(const Evidence& evidence) {
  for (const auto& [who, life] : evidence.history_.lives) LeadershipOfLife(evidence, who, life).compare();
  std::map<ResourceId, std::uint32_t> granted;
  evidence.history_.for_each_call([&](const JournalCall& call) {
    if (const auto* grant = call.reply<reference::Granted>())
      granted[call.resource()] = std::max(granted[call.resource()], grant->token.branch);
  });
  evidence.history_.for_each_call([&](const JournalCall& call) {
    const auto* told = call.reply<reference::Changes>();
    const auto known = granted.find(call.resource());
    if (told == nullptr || known == granted.end() || told->branch <= known->second) return;
    evidence.findings_.lacks(
        fmt::format("{} was told of branch {} of the store at {}, and nobody here was granted {} on it",
                    evidence.names_.who(call.who()), told->branch, time_text(call.heard),
                    resource_text(call.resource())));
    known->second = told->branch;  // said once
  });
}

}  // namespace tenure::lab
