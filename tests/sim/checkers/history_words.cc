#include "tests/sim/checkers/history_words.h"

#include <algorithm>

#include "sim/checkers/oracle/slots.h"

namespace tenure::sim {
namespace {

Overlap overlap_of(const std::string& name) {
  return named<Overlap>(name, {{"allow", Overlap::allow},
                               {"skip", Overlap::skip},
                               {"queue_one", Overlap::queue_one},
                               {"replace", Overlap::replace}});
}
bool is_slot(const std::string& word) {
  return duration_of(word.substr(0, word.find_first_of("/#"))).has_value();
}

}  // namespace

Duration read_duration(Words& words) {
  const std::string word = words.next();
  const auto read = duration_of(word);
  EXPECT_TRUE(read) << word << " is no duration";
  return read.value_or(Duration{});
}

Incarnation read_who(const std::string& text) {
  if (text == "client") return kClient;
  if (text.size() < 2 || (text[0] != 'n' && text[0] != 'm')) return kN1;
  const auto number = static_cast<std::uint32_t>(std::strtoul(text.c_str() + 1, nullptr, 10));
  const std::size_t life = text.find('#');
  return {NodeId{(text[0] == 'n' ? 0 : kFirstWorkerNode.value) + number - 1},
          life == std::string::npos ? 1 : static_cast<std::uint32_t>(std::stoul(text.substr(life + 1)))};
}

Token read_token(const std::string& text) {
  const Token read = testing::read_token(text);
  return text.find('/') != std::string::npos ? read : Token{read.branch, read.epoch, 100 + read.epoch};
}

void read_definition(Words& words, Definition& definition) {
  const auto cron = [](const char* text) {
    return std::make_shared<const Cron>(std::get<Cron>(Cron::parse(text)));
  };
  for (bool more = true; more;) {
    if (words.take("every")) {
      definition.recurrence = every(read_duration(words)).recurrence;
    } else if (words.take("at")) {
      definition.recurrence =
          Times{std::make_shared<const std::vector<StoreTime>>(1, store_at(read_duration(words)))};
    } else if (words.take("daily 00:05 skipped at")) {
      const std::int64_t jump = (kStartNs + read_duration(words).ns()) / 1'000'000'000;
      const std::vector<TimeZone::Period> periods{{TimeZone::kAlways, 0}, {jump, 3'600}};
      definition.recurrence = CronRule{.cron = cron("5 0 * * *"),
                                       .zone = std::make_shared<const TimeZone>("Made/Up", "test", periods)};
    } else if (words.take("jitter")) {
      definition.jitter.max = read_duration(words);
    } else if (words.take("seed")) {
      definition.jitter.seed = static_cast<std::uint64_t>(words.number());
    } else if (words.take("fire_all")) {
      definition.misfire.policy = Misfire::Policy::fire_all;
    } else if (words.take("fire_once")) {
      definition.misfire.policy = Misfire::Policy::fire_once;
    } else if (words.take("earliest")) {
      definition.misfire.once = Misfire::Which::earliest;
    } else if (words.take("skip")) {
      definition.misfire.policy = Misfire::Policy::skip;
    } else if (words.take("grace")) {
      definition.misfire.grace = read_duration(words);
    } else if (words.take("window")) {
      definition.misfire.catchup_window = read_duration(words);
    } else if (words.take("max_catchup")) {
      definition.misfire.max_catchup = words.number();
    } else if (words.take("overlap")) {
      definition.overlap = overlap_of(words.next());
    } else if (words.take("paused")) {
      definition.paused = true;
    } else if (words.take("resumed")) {
      definition.paused = false;
    } else if (words.take("strict") || words.peek() == "loose") {
      definition.delivery.strict_order = !words.take("loose");
    } else if (words.take("attempts")) {
      definition.delivery.attempts = static_cast<std::uint32_t>(words.number());
    } else if (words.take("destination")) {
      definition.delivery.destination = words.next();
    } else {
      more = false;
    }
  }
}

Scenario read_scenario(Words words) {
  const std::pair<const char*, Scenario (*)()> worlds[] = {
      {"reference", reference_scenario}, {"table", table_scenario},         {"ring", ring_scenario},
      {"design", design_scenario},       {"placement", placement_scenario}, {"election", election_scenario},
      {"pushing", pushing_scenario},     {"pulling", pulling_scenario},     {"writing", writing_scenario}};
  Scenario scenario = reference_scenario();
  for (const auto& [name, make] : worlds)
    if (words.take(name) || words.take(std::string(name) + ",")) scenario = make();
  std::size_t schedule = 0;
  while (!words.done()) {
    for (std::size_t i = 0; i < scenario.schedules.size(); ++i)
      if (words.take(scenario.schedules[i].name)) schedule = i;
    if (words.take("warmup")) {
      scenario.work.program.warmup = read_duration(words);
    } else if (words.take("beside every")) {
      scenario.schedules.push_back({"beside", every(read_duration(words))});
    } else if (const int setting = scenario.scheduling.find(words.peek()); setting >= 0) {
      const std::string value = (words.next(), words.next());
      const auto length = duration_of(value);
      scenario.scheduling.set(setting, length ? length->ns() : std::stoll(value));
    } else {
      const std::string before = words.peek();
      if (!scenario.schedules.empty()) read_definition(words, scenario.schedules[schedule].definition);
      if (words.peek() == before && !words.done()) {
        ADD_FAILURE() << words.rest() << ": not understood";
      }
    }
  }
  return scenario;
}

// ---- what a subject does ----

void Deed::take_token() {
  const std::string said = words.cut("as");
  if (said == "none")
    without_token = true;
  else if (!said.empty())
    as = read_token(said);
}

std::optional<Token> Deed::shown() const {
  if (as) return as;
  return without_token || !state.scenario.protocol->has_tokens ? std::nullopt : std::optional(token());
}

ScheduleId Deed::named_schedule(ScheduleId by_default) {
  return state.is_schedule(words.peek()) ? state.schedule_of(words.next()) : by_default;
}

Event Deed::event() {
  schedule = named_schedule(schedule);
  const std::string word = words.next();
  const std::size_t run = word.find('/');
  const std::size_t attempt = word.find('#');
  Event result{{schedule, store_at(duration_of(word.substr(0, word.find_first_of("/#"))).value()), 0}};
  if (run != std::string::npos) result.id.run = std::stoull(word.substr(run + 1));
  if (attempt != std::string::npos)
    result.attempt = static_cast<std::uint32_t>(std::stoul(word.substr(attempt + 1)));
  return result;
}

std::vector<Event> Deed::events() {
  std::vector<Event> all;
  while (state.is_schedule(words.peek()) || is_slot(words.peek())) all.push_back(event());
  return all;
}

WorkItem Deed::item(const Event& event) const {
  WorkItem result{kResource, event.id, shown(), true};
  if (state.scenario.destinations.empty() || event.id.schedule == kBilling) return result;
  result.destination = event.id.schedule == kOrders ? "crm" : "erp";
  result.attempt = event.attempt;
  return result;
}

void Deed::submits(const Request& request, bool as_leader) {
  h.submits(who, request, as_leader);
  state.submitted.emplace(who, request);
}

Row read_row(Deed& deed) {
  deed.schedule = deed.named_schedule(deed.schedule);
  Words& words = deed.words;
  Row read;
  reference::LedgerRow& row = read.row;
  const std::size_t dots = words.peek().find("..");
  if (dots == std::string::npos) {
    row = History::fired_row(read_duration(words));
    row.to = row.slot + seconds(deed.schedule == kBilling ? 10 : 1);
    row.due = Slots{deed.state.definition_of(deed.schedule)}.due(deed.schedule, row.slot);
  } else {
    const std::string range = words.next();
    const Duration from = duration_of(range.substr(0, dots)).value();
    const Duration to = duration_of(range.substr(dots + 2)).value();
    if (words.take("into")) {
      row = History::fired_row(read_duration(words));
      row.from = store_at(from);
      row.to = store_at(to) + Duration::micros(1);
      row.slots = (to - from) / seconds(10) + 1;
    } else {
      row = History::range_row(from, to, named(words.next(), reference::Disposition::deleted));
    }
  }
  row.schedule = deed.schedule;
  for (bool more = true; more;) {
    if (words.take("from")) {
      row.from = store_at(read_duration(words));
    } else if (words.take("to never")) {
      row.to = StoreTime::max();
      row.due = {};
    } else if (words.take("to")) {
      row.to = store_at(read_duration(words));
    } else if (words.take("slots")) {
      row.slots = words.number();
    } else if (words.take("slot")) {
      row.slot = store_at(read_duration(words));
    } else if (words.take("later")) {
      row.due += read_duration(words);
    } else if (words.take("overlapped")) {
      read.result = reference::RowResult::overlapped;
    } else if (words.peek().starts_with("v")) {
      row.version = static_cast<std::uint32_t>(std::stoul(words.next().substr(1)));
    } else {
      more = false;
    }
  }
  return read;
}

reference::Reply reply_to(const reference::Request& request) {
  if (const auto* commit = std::get_if<reference::CommitFires>(&request))
    return reference::Committed{std::vector(commit->rows.size(), reference::RowResult::covered)};
  if (std::holds_alternative<reference::AckEvents>(request)) return reference::Acknowledged{};
  if (std::holds_alternative<reference::GiveUpEvents>(request)) return reference::GivenUp{};
  if (std::holds_alternative<reference::Release>(request)) return reference::Released{};
  return reference::HoldSet{reference::Hold{}};
}

}  // namespace tenure::sim
