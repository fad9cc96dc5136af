#include "tests/differential/policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <variant>

namespace tenure::differential {
namespace {

// A field as a list of all its values, so that it is neither a star nor a range.
std::string spelled_out(const std::string& field, std::size_t which) {
  std::array<std::string, 5> alone = {"0", "0", "*", "*", "*"};
  alone[which] = field;
  const Cron cron = std::get<Cron>(
      Cron::parse(fmt::format("{} {} {} {} {}", alone[0], alone[1], alone[2], alone[3], alone[4])));
  const std::int64_t unit = which == 0 ? 60 : 3'600;
  std::string list;
  for (auto at = cron.at_or_after(0); at && *at < (which == 0 ? 3'600 : 86'400);
       at = cron.at_or_after(*at + 1))
    list += fmt::format("{}{}", list.empty() ? "" : ",", *at / unit);
  return list;
}

void a_step_restricts(OurQuestion& question) {
  if (question.one.fields[2].starts_with("*/"))
    question.one.fields[2] = "1-31" + question.one.fields[2].substr(1);
  if (question.one.fields[4].starts_with("*/"))
    question.one.fields[4] = "0-6" + question.one.fields[4].substr(1);
}
void both_days_if_counted(OurQuestion& question) {
  const std::string& weekday = question.one.fields[4];
  question.both_days_must_match = weekday.find_first_of("#L") != std::string::npos;
}
void counted_weekday_alone(OurQuestion& question) {
  if (question.one.fields[4].find_first_of("#L") != std::string::npos) question.one.fields[2] = "*";
}
void nothing(OurQuestion&) {}

// The places in zone.periods() of the changes in [from, to).
std::vector<std::size_t> changes_in(const TimeZone& zone, std::int64_t from, std::int64_t to) {
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i < zone.periods().size(); ++i)
    if (zone.periods()[i].begin >= from && zone.periods()[i].begin < to) places.push_back(i);
  return places;
}
// Whether the answers agree in all slots but those that are excused, as far as both go.
template <class Excused>
bool agree_but_for(const Answer& ours, const Answer& theirs, Excused excused) {
  if (ours.slots.empty() || theirs.slots.empty()) return false;
  const std::int64_t until = std::min(ours.slots.back(), theirs.slots.back());
  const auto left = [&](std::vector<std::int64_t> slots) {
    std::erase_if(slots, [&](std::int64_t slot) { return slot > until || excused(slot); });
    return slots;
  };
  return left(ours.slots) == left(theirs.slots);
}
bool but_for_a_day_after_a_broken_hour(const TimeZone& zone, std::int64_t, const Answer& ours,
                                       const Answer& theirs) {
  return agree_but_for(ours, theirs, [&](std::int64_t slot) {
    const auto changes = changes_in(zone, slot - 86'400, slot + 1);
    return std::any_of(changes.begin(), changes.end(), [&](std::size_t i) {
      return (zone.periods()[i].offset - zone.periods()[i - 1].offset) % 3'600 != 0;
    });
  });
}
// But for slots whose local day matches.
bool but_for_days(const char* days, const TimeZone& zone, const Answer& ours, const Answer& theirs) {
  const Cron excused = std::get<Cron>(Cron::parse(days));
  return agree_but_for(ours, theirs, [&](std::int64_t slot) {
    const std::int64_t minute = (slot + zone.periods()[zone.period_at(slot)].offset) / 60 * 60;
    return excused.at_or_after(minute) == minute;
  });
}
bool but_for_the_first(const TimeZone& zone, std::int64_t, const Answer& ours, const Answer& theirs) {
  return but_for_days("* * 1 * *", zone, ours, theirs);
}
bool but_for_march_first(const TimeZone& zone, std::int64_t, const Answer& ours, const Answer& theirs) {
  return but_for_days("* * 1 3 *", zone, ours, theirs);
}
bool refused_near_a_change(const TimeZone& zone, std::int64_t from, const Answer& ours,
                           const Answer& theirs) {
  return theirs.refused && !ours.slots.empty() && !changes_in(zone, from, ours.slots.back() + 86'400).empty();
}

void gap_skipped(OurQuestion& question) { question.gap = DstGap::skip; }
void overlap_twice(OurQuestion& question) { question.overlap = DstOverlap::both; }
void local_readings(OurQuestion& question) {
  for (const std::size_t which : {0U, 1U})
    question.one.fields[which] = spelled_out(question.one.fields[which], which);
  question.gap = DstGap::skip;
}

constexpr Policy kCroniter[] = {
    {"a-step-restricts", "*/n in a day field restricts it, so that either field is enough", a_step_restricts},
    {"a-counted-weekday-must-match", "with d#n or the last d, the day of month must match as well",
     both_days_if_counted},
    {"a-counted-weekday-alone", "with d#n or the last d, some days of the month do not matter at all",
     counted_weekday_alone},
    {"march-first-is-missed",
     "with days that February lacks, the search from there jumps over the first of March", nothing,
     but_for_march_first},
};
constexpr Policy kRobfig[] = {
    {"a-step-restricts", "*/n in a day field restricts it, so that either field is enough", a_step_restricts},
    {"gap-skipped", "a fixed time that a clock change skips does not fire", gap_skipped},
    {"overlap-twice", "a fixed time that comes twice fires twice", overlap_twice},
    {"a-broken-hour-is-missed",
     "after a change by half an hour, it stands within an hour and misses what came before in it", nothing,
     but_for_a_day_after_a_broken_hour},
};
constexpr Policy kSystemd[] = {
    {"local-readings",
     "every expression is a list of local readings: skipped if there is none, once if there are two",
     local_readings},
    {"no-answer-near-a-change", "the search gives up with an error (EDEADLK)", nothing,
     refused_near_a_change},
    {"the-first-is-missed",
     "after the last of some hours in a month, slots on the first of the next are missed", nothing,
     but_for_the_first},
};

}  // namespace

std::span<const Policy> croniter_policies() { return kCroniter; }
std::span<const Policy> robfig_policies() { return kRobfig; }
std::span<const Policy> systemd_policies() { return kSystemd; }

Answer our_answer(const OurQuestion& question, const std::shared_ptr<const TimeZone>& zone, int count) {
  Answer answer;
  Case one = question.one;
  if (question.both_days_must_match) one.fields[4] = "*";
  auto parsed = Cron::parse(expression_of(one));
  if (std::holds_alternative<CronError>(parsed)) {
    answer.never = true;  // the drawn ones are well-formed: it names a day that never comes
    return answer;
  }
  const CronRule rule{std::make_shared<const Cron>(std::move(std::get<Cron>(parsed))), zone, question.gap,
                      question.overlap};
  // The other half of the question, when a day must match both fields.
  std::optional<Cron> and_also;
  if (question.both_days_must_match) {
    Case weekdays{{"*", "*", "*", "*", question.one.fields[4]}};
    and_also = std::get<Cron>(Cron::parse(expression_of(weekdays)));
  }
  std::int64_t last = question.one.from;
  std::int64_t looked_at = last;
  while (static_cast<int>(answer.slots.size()) < count) {
    const auto slot =
        first_at_or_after(rule, StoreTime{} + Duration::seconds(looked_at) + Duration::micros(1));
    const std::int64_t seconds = slot ? slot->ns() / 1'000'000'000 : 0;
    if (!slot) {
      answer.never = true;
      break;
    }
    looked_at = seconds;
    if (and_also && and_also->at_or_after(seconds) != seconds) continue;
    answer.slots.push_back(last = seconds);
  }
  return answer;
}

std::optional<std::vector<std::string>> explain(const Case& one, const std::shared_ptr<const TimeZone>& zone,
                                                const Answer& theirs, std::span<const Policy> policies,
                                                int count) {
  std::vector<unsigned> subsets;
  for (unsigned set = 0; set < 1U << policies.size(); ++set) subsets.push_back(set);
  std::stable_sort(subsets.begin(), subsets.end(),
                   [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
  for (const unsigned set : subsets) {
    OurQuestion question{.one = one};
    std::vector<std::string> names;
    auto* same =
        +[](const TimeZone&, std::int64_t, const Answer& ours, const Answer& other) { return ours == other; };
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      policies[i].apply(question);
      names.push_back(policies[i].name);
      if (policies[i].same != nullptr) same = policies[i].same;
    }
    if (same(*zone, one.from, our_answer(question, zone, count), theirs)) return names;
  }
  return std::nullopt;
}

}  // namespace tenure::differential
