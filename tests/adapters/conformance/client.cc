#include "tests/adapters/conformance/client.h"

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/hash.h"
#include "core/schedule/definition.h"
#include "tests/support/zones.h"

namespace tenure::conformance {
namespace {

using reference::Disposition;
using reference::LedgerRow;

constexpr Duration kMicro = Duration::micros(1);
constexpr std::uint32_t kSchedules = 6;

StoreTime epoch_of_clock() { return StoreTime{} + Duration::seconds(1'774'745'900); }

Cron cron(const std::string& text) { return std::get<Cron>(Cron::parse(text)); }

// A definition for any two numbers; slots are some seconds apart.
Definition definition_of(std::uint32_t a, std::uint32_t b) {
  Definition drawn{.recurrence = Interval{epoch_of_clock() + Duration::micros(b % 1'000 * 90'003),
                                          Duration::micros(500'000 + a % 977 * 7'001)}};
  if (a % 7 == 0) {
    std::vector<StoreTime> at;
    for (std::uint32_t i = 1; i <= 1 + b % 9; ++i)
      at.push_back(epoch_of_clock() + Duration::seconds(i * (1 + b % 50)));
    drawn.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::move(at))};
  } else if (a % 7 == 1) {
    drawn.recurrence =
        CronRule{std::make_shared<const Cron>(cron(b % 2 == 0 ? "*/3 * * * * *" : "0 */2 * * * *")),
                 testing::few_zones().find(b % 3 == 0 ? "UTC" : "Europe/Berlin")};
  }
  if (a % 7 >= 4) drawn.recurrence = Interval{epoch_of_clock(), Duration::seconds(1 + b % 3)};  // as others
  if (b % 6 == 0) drawn.until = epoch_of_clock() + Duration::seconds(b % 300);
  if (b % 8 == 1) drawn.jitter = {Duration::millis(a % 3'000), Jitter::Per::slot, mix64(a, b)};
  drawn.paused = b % 10 == 0;
  if (a % 5 < 2) return drawn;
  Delivery& delivery = drawn.delivery;
  delivery.kind = b % 7 < 5 ? Delivery::Kind::pull : Delivery::Kind::push;
  if (delivery.kind == Delivery::Kind::push) delivery.destination = b % 2 == 0 ? "crm" : "a.b-2";
  delivery.strict_order = b % 11 == 0;
  delivery.attempts = 1 + a % 3;
  delivery.back_off = Duration::millis(1 + b % 900);
  delivery.longest_back_off = Duration::millis(1'500);
  constexpr Overlap kOverlaps[] = {Overlap::allow, Overlap::skip, Overlap::queue_one, Overlap::replace};
  drawn.overlap = kOverlaps[a / 5 % (delivery.kind == Delivery::Kind::pull ? 4 : 3)];
  return drawn;
}

// Few, so that an edit often leaves it as it is, and some of the largest size.
reference::Payload payload_of(std::uint32_t a, std::uint32_t b) {
  if (a % 4 == 0) return {};
  reference::Payload payload{.topic = a % 4 == 1 ? "mail" : "träume",
                             .type = "",
                             .data = R"({"n":)" + std::to_string(b % 3) + "}",
                             .labels = {},
                             .description = b % 2 == 0 ? "what's \"this\"?\n" : ""};
  if (b % 5 == 0) payload.labels = {{"a", "\\"}, {"team", "ops"}};
  if (b % 97 == 0) payload.data = std::string(reference::kDataBytes, '7');
  return payload;
}

// Few ones, so that runs are asked for again with the same and with another; 0 often, and one with the highest bit.
std::uint64_t digest_of(std::uint64_t bits) {
  switch (bits / 512 % 4) {
    case 0: return 7;
    case 1: return UINT64_MAX;
    default: return 0;
  }
}

}  // namespace

Duration Client::clock_step(const Operation& operation) {
  const std::uint64_t bits = mix64(operation.a, operation.b);
  switch (bits % 40) {
    case 0: return Duration::seconds(-static_cast<std::int64_t>(bits >> 32 & 63));
    case 1: return Duration::micros(-1);
    case 2: return Duration::seconds(static_cast<std::int64_t>(bits >> 32 & 63));
    case 3: return {};
    default: return Duration::micros(static_cast<std::int64_t>(bits >> 32) % 900'000);
  }
}

reference::Request Client::ask(const Operation& operation, StoreTime now) {
  now_ = now;
  const auto [kind, a, b] = operation;
  const ResourceId resource{1 + (a / 64 % 4 == 0 ? 1U : 0U)};
  const ScheduleId schedule{1 + a % kSchedules};
  const std::uint64_t run = 1 + b % 12 + (std::uint64_t{self_} << 60);
  Known& known = known_[resource];
  switch (kind % kKinds) {
    case 0:
    case 1:
    case 2: return acquire(resource, operation);
    case 3:
    case 4:
      return reference::Renew{resource, known.holder, shown(resource, b), Duration::millis(1 + a % 20'000)};
    case 5: return reference::Release{resource, known.holder, shown(resource, b)};
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
      return reference::PutSchedule{resource, schedule, version_of(resource, schedule, b),
                                    definition_of(a / 7, b)};
    case 11: return reference::DeleteSchedule{resource, schedule, version_of(resource, schedule, b)};
    case 12:
      return reference::TriggerSchedule{
          resource, schedule, run, now - Duration::millis(b % 3'000) + Duration::seconds(1), digest_of(a)};
    case 13: {
      reference::BackfillSchedule asked{resource,    schedule, run, {}, now - Duration::millis(b % 3),
                                        digest_of(a)};
      for (std::uint32_t i = 0; i < b % 4; ++i)
        asked.slots.push_back(now - Duration::millis(a % 5'000) + Duration::millis(b % 8 == 3 ? 9'000 : 0) -
                              Duration::seconds(i * (b % 2)));
      return asked;
    }
    case 14:
    case 15: {
      const bool all = b % 4 == 0;
      reference::ReadDue asked{resource, all ? StoreTime::max() : now + Duration::seconds(8), b % 9,
                               std::nullopt};
      if (b % 3 != 0 && !known.due.segments.empty()) asked.after = known.due.segments.back();
      return asked;
    }
    case 16:
    case 17: return reference::ReadDue{resource, now + Duration::seconds(2 + b % 8), 100, std::nullopt};
    case 18:
    case 19:
    case 20:
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
    case 26: return commit(resource, operation, now);
    case 27:
      if (known.last_commit) return *known.last_commit;  // as after a lost reply
      return commit(resource, operation, now);
    case 28:
    case 29:
    case 30: return reference::ReadOutbox{resource, b % 5 == 0 ? b % 4 : 50, b % 3 == 0 ? b % 40 : 0};
    case 31:
    case 32:
    case 33: {
      reference::AckEvents asked{resource, {}};
      for (std::size_t i = 0; i < known.events.size(); ++i) {
        if (mix64(i, b) % 7 < 3) asked.events.push_back({known.events[i].id});
      }
      for (std::size_t i = 0; i < known.waiting.size(); ++i) {
        const reference::WaitingEvent& event = known.waiting[i];
        const std::uint64_t drawn = mix64(i, b) % 45;
        if (drawn < 3) asked.events.push_back({event.id, event.delivery.kind, event.name});
        if (drawn == 3) asked.events.push_back({event.id, event.delivery.kind, "elsewhere"});
        if (drawn == 4) asked.events.push_back({event.id, static_cast<Delivery::Kind>(b % 3)});
      }
      if (b % 5 == 0) asked.events.push_back({{schedule, now, run}, static_cast<Delivery::Kind>(b % 3)});
      return asked;
    }
    case 34:
    case 35:
      return reference::ChangesSince{resource, b % 4 == 0 ? 0 : known.change_seq, b % 3 == 0 ? b % 5 : 100};
    case 36:
      return reference::SetHold{resource, known.holder, shown(resource, b),
                                Duration::nanos(a) - Duration::nanos(b)};
    case 37:
    case 38: return reference::ClearHold{resource, known.holder, shown(resource, b)};
    case 39:
      return reference::ReadDead{resource, b % 5 == 0 ? b % 4 : 50, b % 3 == 0 ? b % 40 : 0, a % 2 == 0};
    case 40: {
      reference::DiscardDead asked{resource, {}, a % 3 == 0 ? "" : "client " + std::to_string(self_)};
      for (std::size_t i = 0; i < known.dead.size(); ++i)
        if (mix64(i, b) % 2 == 0) asked.events.push_back(known.dead[i].id);
      if (b % 5 == 0) asked.events.push_back({schedule, now, run});
      if (b % 5 == 1 && !asked.events.empty()) asked.events.push_back(asked.events[0]);
      return asked;
    }
    case 41: {
      reference::Redrive asked{resource, {}};
      for (std::size_t i = 0; i < known.dead.size(); ++i)
        if (mix64(i, b) % 3 == 0) asked.events.push_back(known.dead[i].id);
      if (b % 5 == 0) asked.events.push_back({schedule, now, run});
      if (b % 5 == 1 && !asked.events.empty()) asked.events.push_back(asked.events[0]);
      return asked;
    }
    case 42:
    case 43:
    case 44: {
      reference::GiveUpEvents asked{resource, known.holder, shown(resource, b), {}};
      // Their numbers, or none, or, after a replay, others.
      const auto number = [a = a](std::uint64_t seq) { return a % 3 == 0 ? 0 : seq + (a % 7 == 1 ? 1 : 0); };
      for (std::size_t i = 0; i < known.events.size(); ++i)
        if (mix64(i, b) % 7 >= 4)
          asked.events.push_back({known.events[i].id, 1 + b % 9, number(known.events[i].seq)});
      for (std::size_t i = 0; i < known.waiting.size(); ++i)
        if (mix64(i, b) % 31 == 0)
          asked.events.push_back(
              {known.waiting[i].id, 2, number(known.waiting[i].seq), {}, "it's \"gone\"\\"});
      if (b % 5 == 1) asked.events.push_back({{schedule, now, run}, 1});
      if (b % 5 == 2 && !asked.events.empty()) asked.events.push_back({asked.events[0].id, 10});  // twice
      return asked;
    }
    case 45:
      return reference::Prune{resource, now - Duration::millis(a % 60'000), b % 3 == 0 ? b % 7 : 1000,
                              b % 4 == 0 ? b % 50 : reference::Prune::kHistoryRows};
    default: return kind % kKinds < 58 ? by_name(resource, operation) : delivery(resource, operation);
  }
}

reference::Request Client::delivery(ResourceId resource, const Operation& operation) {
  const auto [kind, a, b] = operation;
  Known& known = known_[resource];
  const auto some_token = [&known, b = b](std::size_t i) {
    reference::ExecutionToken token = known.claimed[i];
    if (mix64(i, b) % 13 == 5) token.attempt += 1;
    if (mix64(i, b) % 13 == 7) token.nonce ^= std::uint64_t{1} << 63;
    return token;
  };
  const std::string actor = "client " + std::to_string(self_);
  switch (kind % kKinds) {
    case 58:
    case 59:
    case 60:
      return reference::ClaimExecutions{resource, a % 3 == 0 ? "" : a % 3 == 1 ? "mail" : "träume",
                                        b % 6,    Duration::millis(1 + a % 6'000 * (b % 4 == 0 ? 20 : 1)),
                                        actor,    mix64(++nonces_, self_ + 7)};
    case 61: {
      if (a % 2 == 0) {
        reference::ReleaseExecutions asked{resource, {}};
        for (std::size_t i = 0; i < known.claimed.size(); ++i)
          if (mix64(i, b) % 4 == 0) asked.executions.push_back(some_token(i));
        return asked;
      }
      const Duration duration = b % 4 == 0 ? Duration{} : Duration::millis(1 + b % 6'000);
      reference::ExtendExecutions asked{resource, duration, {}};
      for (std::size_t i = 0; i < known.claimed.size(); ++i)
        if (mix64(i, b) % 3 == 0) asked.executions.push_back(some_token(i));
      return asked;
    }
    case 62:
    case 63:
    case 64: {
      reference::EndExecutions asked{resource, {}};
      for (std::size_t i = 0; i < known.claimed.size(); ++i)
        if (mix64(i, b) % 4 == 0)
          asked.ends.push_back(
              {some_token(i), mix64(i, a) % 3 != 0, mix64(i, a) % 3 == 1 ? "no {\"route\", \\}" : ""});
      if (b % 5 == 1 && !asked.ends.empty()) asked.ends.push_back(asked.ends[0]);
      if (b % 7 == 1) asked.ends.push_back({{{{1 + a % kSchedules}, now_, b}, 1, b}, false, ""});
      return asked;
    }
    case 65:
      return reference::ReadWaiting{
          resource, b % 3 == 0 ? Delivery::Kind::push : Delivery::Kind::pull,
          b % 2 == 0 ? std::nullopt : std::optional<std::string>(b % 3 == 0 ? "crm" : "mail"),
          b % 5 == 0 ? b % 60 : 0, b % 4 == 0 ? b % 5 : 1000};
    case 66: {
      reference::ReadHistory asked{resource};
      if (b % 3 == 0) asked.schedule = ScheduleId{1 + a % kSchedules};
      asked.after = b % 2 == 0 ? b % 90 : 0;
      asked.limit = b % 5 == 0 ? b % 4 : 100;
      asked.newest_first = a % 2 == 0;
      return asked;
    }
    default:
      if (b % 3 == 0) return reference::ReadDepths{resource, a % 2 == 0};
      if (b % 3 == 1) return reference::ReadNodes{resource};
      return reference::RegisterNode{resource, "key " + std::to_string(a % 5), actor};
  }
}

// Few names, so that they are used again; some of them are those of schedules that are put by number.
reference::Request Client::by_name(ResourceId resource, const Operation& operation) {
  const auto [kind, a, b] = operation;
  Known& known = known_[resource];
  constexpr const char* kNames[] = {"report", "Report", "a.b", "a-b", "2nd", "1", "2", "7"};
  const std::string name = kNames[a % std::size(kNames)];
  const std::string actor = b % 3 == 0 ? "" : "client " + std::to_string(self_);
  std::optional<reference::Edition> seen;
  if (const auto it = known.editions.find(name); it != known.editions.end()) seen = it->second;
  if (seen && b % 9 == 3) seen->version += 1;
  if (seen && b % 9 == 5) seen->version -= 1;
  if (seen && b % 9 == 7) seen->schedule.value += 1;
  const bool digits = name[0] >= '1' && name.size() == 1;
  switch (kind % kKinds) {
    case 46:
    case 47:
    case 48:
    case 49: {
      reference::PutNamed asked{resource, name, seen, definition_of(a / 8, b), payload_of(a / 8, b), actor};
      if (!seen && digits)
        asked.expected = reference::Edition{{static_cast<std::uint32_t>(name[0] - '0')}, 1};
      if (b % 7 == 1 && !digits) asked.expected.reset();
      asked.definition.paused = false;
      return asked;
    }
    case 50: return reference::DeleteNamed{resource, name, seen.value_or(reference::Edition{}), actor};
    case 51:
      return reference::PauseNamed{resource, name, b % 3 != 0, actor,
                                   b % 4 == 0 ? "" : "b is " + std::to_string(b)};
    case 52:
    case 53: return reference::ReadNamed{resource, name};
    case 54: return reference::ListNamed{resource, b % 2 == 0 ? "" : name, b % 3 == 0 ? b % 4 : 100};
    case 55:
    case 56: {
      reference::ReadPayloads asked{resource, {}};
      for (const reference::OutboxEvent& event : known.events) asked.events.push_back(event.id);
      for (const reference::DeadEvent& dead : known.dead) asked.events.push_back(dead.id);
      for (const reference::WaitingEvent& event : known.waiting) asked.events.push_back(event.id);
      if (b % 5 == 0) asked.events.push_back({{1 + a % kSchedules}, now_, b});
      return asked;
    }
    default:
      return reference::ReadLog{resource, b % 3 == 0 ? known.change_seq : b % 20, b % 2 == 0 ? b % 5 : 1000};
  }
}

reference::Request Client::acquire(ResourceId resource, const Operation& operation) {
  Known& known = known_[resource];
  const auto [kind, a, b] = operation;
  if (a % 5 == 0) ++lives_;
  const Incarnation self{{self_}, lives_};
  std::uint64_t seen = known.epoch;
  if (b % 9 == 0) seen = known.epoch - 1;
  if (b % 9 == 1) seen = known.epoch + 1;
  const std::uint64_t nonce = b % 16 == 2 ? known.token.nonce : mix64(++nonces_, self_ + 1);
  return reference::Acquire{resource, self, seen, nonce, Duration::millis(1 + a % 30'000)};
}

// Mostly what was granted; else a token that differs in one place, as those of before a failover do.
Token Client::shown(ResourceId resource, std::uint32_t b) {
  Token token = known_[resource].token;
  switch (b % 16) {
    case 3: token.nonce ^= 1; break;
    case 5: token.nonce ^= std::uint64_t{1} << 63; break;
    case 7: token.epoch -= 1; break;
    case 9: token.branch += 1; break;
    default: break;
  }
  return token;
}

std::uint32_t Client::version_of(ResourceId resource, ScheduleId schedule, std::uint32_t b) {
  const std::uint32_t known = known_[resource].versions[schedule];
  if (b % 10 == 4) return known + 1;
  if (b % 10 == 7 && known > 0) return known - 1;  // a repetition, if the definition is the same
  return known;
}

reference::Request Client::commit(ResourceId resource, const Operation& operation, StoreTime now) {
  Known& known = known_[resource];
  const auto [kind, a, b] = operation;
  if (now >= known.leads_until && b % 4 != 0)
    return reference::Acquire{
        resource, {{self_}, ++lives_}, known.epoch, mix64(++nonces_, self_ + 1), Duration::seconds(60)};
  reference::CommitFires asked{resource, known.holder, shown(resource, b), {}};
  const StoreTime until = now + kMicro + Duration::seconds(a % 6 == 5 ? 4 : 0);
  for (const reference::Segment& segment : known.due.segments)
    rows_of(segment, known, until, a / 8, asked.rows);
  if (b % 11 == 0 && !asked.rows.empty()) {  // somebody else's idea of the world
    LedgerRow& row = asked.rows[a % asked.rows.size()];
    switch (b / 11 % 4) {
      case 0: row.version += 1; break;
      case 1: row.schedule.value += kSchedules; break;
      case 2: row.from = row.from - kMicro; break;
      default: row.to += Duration::seconds(3); break;
    }
  }
  return asked;
}

void Client::rows_of(const reference::Segment& segment, const Known& known, StoreTime until,
                     std::uint32_t choice, std::vector<LedgerRow>& rows) const {
  const auto found = known.definitions.find({segment.schedule, segment.version});
  if (found == known.definitions.end()) return;
  const Definition& definition = found->second;
  const StoreTime end = std::min(segment.end, until);
  StoreTime cursor = segment.cursor;
  for (std::uint32_t n = 0; n <= choice % 5 && cursor < end; ++n) {
    const auto add = [&](StoreTime to, StoreTime at, StoreTime due, Disposition what, std::int64_t slots) {
      rows.push_back({segment.schedule, segment.version, cursor, to, at, due, what, slots});
      cursor = to;
    };
    const auto slot = slot_at_or_after(definition, cursor);
    if (!slot || *slot >= end) {
      if (segment.end <= end || (!slot && choice % 2 == 0)) add(segment.end, {}, {}, Disposition::missed, 0);
      return;
    }
    const StoreTime last = slot_before(definition, end).value_or(*slot);
    const StoreTime after = std::min(segment.end, slot_after(definition, *slot).value_or(StoreTime::max()));
    if (definition.paused) {
      add(end, {}, {}, Disposition::paused, 1);
    } else if ((choice + n) % 7 == 0) {
      add(end, {}, {}, choice % 2 == 0 ? Disposition::missed : Disposition::overlapped, 1);
    } else if ((choice + n) % 7 < 3 && last != *slot) {
      const StoreTime fires = choice % 3 == 0 ? *slot : last;
      add(last + kMicro, fires, due_time(definition, segment.schedule, last), Disposition::fired,
          count_slots(definition, cursor, last + kMicro));
    } else {
      add(after, *slot, due_time(definition, segment.schedule, *slot), Disposition::fired, 1);
    }
  }
}

void Client::learn(const reference::Request& request, const reference::Reply& reply) {
  Known& known = known_[std::visit([](const auto& asked) { return asked.resource; }, request)];
  if (const auto* granted = std::get_if<reference::Granted>(&reply)) {
    known.token = granted->token;
    known.epoch = granted->token.epoch;
    known.leads_until = now_ + granted->duration;
    if (const auto* acquire = std::get_if<reference::Acquire>(&request)) known.holder = acquire->holder;
  } else if (const auto* refused = std::get_if<reference::Refused>(&reply)) {
    known.epoch = refused->epoch;
    if (refused->why != reference::Denial::other_holder) known.leads_until = {};
  } else if (const auto* due = std::get_if<reference::Due>(&reply)) {
    known.due = *due;
  } else if (const auto* outbox = std::get_if<reference::Outbox>(&reply)) {
    known.events = outbox->events;
  } else if (const auto* dead = std::get_if<reference::Dead>(&reply)) {
    known.dead = dead->events;
  } else if (const auto* waiting = std::get_if<reference::WaitingEvents>(&reply)) {
    known.waiting = waiting->events;
  } else if (const auto* claimed = std::get_if<reference::ClaimedExecutions>(&reply)) {
    for (const reference::Execution& one : claimed->executions) known.claimed.push_back(one.token);
    if (known.claimed.size() > 12) known.claimed.erase(known.claimed.begin(), known.claimed.end() - 12);
  } else if (const auto* changes = std::get_if<reference::Changes>(&reply)) {
    known.change_seq = changes->seq;
    for (const reference::Change& change : changes->changes)
      known.definitions[{change.segment.schedule, change.segment.version}] = change.definition;
  } else if (const auto* edited = std::get_if<reference::Edited>(&reply)) {
    if (const auto* put = std::get_if<reference::PutSchedule>(&request)) {
      known.versions[put->schedule] = edited->version;
      known.definitions[{put->schedule, edited->version}] = put->definition;
    }
  } else if (const auto* named = std::get_if<reference::NamedEdited>(&reply)) {
    if (const auto* put = std::get_if<reference::PutNamed>(&request))
      known.editions[put->name] = named->edition;
    if (const auto* pause = std::get_if<reference::PauseNamed>(&request))
      known.editions[pause->name] = named->edition;
    if (const auto* gone = std::get_if<reference::DeleteNamed>(&request);
        gone != nullptr && now_.ns() / 1'000 % 2 == 0)
      known.editions.erase(gone->name);
  } else if (const auto* taken = std::get_if<reference::NamedRefused>(&reply)) {
    const auto* put = std::get_if<reference::PutNamed>(&request);
    if (put != nullptr && taken->edition.version != 0) known.editions[put->name] = taken->edition;
    if (put != nullptr && taken->edition.version == 0) known.editions.erase(put->name);
  } else if (const auto* edit_refused = std::get_if<reference::EditRefused>(&reply)) {
    if (const auto* put = std::get_if<reference::PutSchedule>(&request)) {
      known.versions[put->schedule] = edit_refused->version;
    }
  }
  if (const auto* commit = std::get_if<reference::CommitFires>(&request)) known.last_commit = *commit;
}

}  // namespace tenure::conformance
