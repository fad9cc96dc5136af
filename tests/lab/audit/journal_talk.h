// Journals and what the audit says of them, as text (tests/support/interaction.h). Times are milliseconds, of the
// machine and of the store; `n1:` says whose lines follow.
//
//   n1: starts 0 boot=b max_running=1     # its settings; `resource 5`, `ahead 1000`, `rate 1/2` (its clock) go before
//   leads 100 1; believes 110 1 until 2000; renews 500 1; renewed 500 1; acquires 100 1; releases 620 1; steps_down 600
//   commits 300 1 (250;missed 500..1000 x2); begins 310 250 1; ends 350 250 failed; works 310 250 1
//   does 200 renew token=1 -> refused expired remaining=1s  # asked 10 ms before, heard 10 ms after
//   asks 190 acquire 1 102; hears 210 200#621 granted token=2 duration=1s; never_hears 210 rejected; asks_leading 9 ...
//   notes 500 checks; notes 500 stopped; notes 500 asked_to_stop; notes 500 died; notes 500 ended  # its journal ends
//   leader 1 from 0 of (7 every 10s;8 skip)  # leads, and has been told of these schedules; settings may follow
//   fires 0..20000 of 8; goes_on 30000; finishes 65000  # all slots of 10s; renews until then; and its journal ends
//   fires 0 unsent; silent_until 64000    # commits, and begins no work
//   cut; counted; anew                    # its journal begins here; positions are the store's counts; all is forgotten
//
// `audit` says the verdict, the checkers that fail with how often, and what is lacking; `of no-lost-fire` how a checker
// looked, and what it was not shown; `lives` and `notes` what else the audit has.
//
// Thread rule: one test.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/describe.h"
#include "core/store/reference/fields.h"
#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"
#include "tests/support/field_words.h"

namespace tenure::testing {

template <>
struct FromText<Token> {
  static constexpr bool kOnlyByName = true;
  static Token read(const std::string& text) {
    const Token token = read_token(text, 0);
    return token.nonce != 0 ? token : Token{token.branch, token.epoch, 100 + token.epoch};
  }
};
template <>
struct FromText<Incarnation> {
  static constexpr bool kOnlyByName = true;
  static Incarnation read(const std::string& text) {
    const auto node = static_cast<std::uint32_t>(std::stoul(text));
    return lab::Process(node).who();
  }
};
template <>
struct FromText<StoreTime> {
  static StoreTime read(const std::string& text) { return lab::store_time(std::stoll(text)); }
};
// "250", or of schedule 8: "8@250"; "term": what runs while one leads.
template <>
struct FromText<reference::EventId> {
  static reference::EventId read(const std::string& text) {
    const std::size_t at = text.find('@');
    if (text == "term") return {{}, {}, 1};
    if (at == std::string::npos) return lab::slot(std::stoll(text));
    return lab::slot(std::stoll(text.substr(at + 1)), static_cast<std::uint32_t>(std::stoul(text)));
  }
};
template <>
struct FromText<Overlap> {
  static Overlap read(const std::string& text) {
    return text == "skip" ? Overlap::skip : text == "queue_one" ? Overlap::queue_one : Overlap::allow;
  }
};
// "250", "v2 250", "fired 500..1000", "missed 500..1000 x2": of schedule 7, which is due every 250 ms.
template <>
struct FromText<reference::LedgerRow> {
  static reference::LedgerRow read(const std::string& text) {
    Words words(text);
    auto what = reference::Disposition::fired;
    for (const auto other :
         {reference::Disposition::fired, reference::Disposition::missed, reference::Disposition::overlapped})
      if (words.take(name_of(other))) what = other;
    std::uint32_t version = 1;
    if (words.peek().starts_with('v'))
      version = static_cast<std::uint32_t>(std::stoul(words.next().substr(1)));
    const std::string reach = words.next();
    reference::LedgerRow row = lab::fired(std::stoll(reach), version);
    row.what = what;
    if (const std::size_t dots = reach.find(".."); dots != std::string::npos)
      row.to = lab::store_time(std::stoll(reach.substr(dots + 2)));
    if (!words.done()) row.slots = std::stoll(words.next().substr(1));
    return row;
  }
};
// "7 every 20s from 5000 queue_one to shop", "7 deleted 30000", or with `-` for each space: every ten seconds, if
// nothing else is said.
template <>
struct FromText<reference::Change> {
  static reference::Change read(std::string text) {
    std::replace(text.begin(), text.end(), '-', ' ');
    Words words(text);
    reference::Change change;
    const std::string every = words.cut("every");
    const std::string from = words.cut("from");
    const std::string deleted = words.cut("deleted");
    change.definition.delivery.destination = words.cut("to");
    if (!change.definition.delivery.destination.empty())
      change.definition.delivery.kind = Delivery::Kind::push;
    change.segment = {FromText<ScheduleId>::read(words.next()), 1, lab::store_time(0), StoreTime::max(),
                      lab::store_time(0)};
    if (!words.done()) change.definition.overlap = FromText<Overlap>::read(words.next());
    change.definition.recurrence = Interval{lab::store_time(from.empty() ? 0 : std::stoll(from)),
                                            duration_of(every.empty() ? "10s" : every).value()};
    change.deleted = !deleted.empty();
    if (change.deleted)
      change.segment.begin = change.segment.end = change.segment.cursor =
          lab::store_time(std::stoll(deleted));
    return change;
  }
};

class JournalTalk {
 public:
  explicit JournalTalk(const std::string&) {}

  std::string say(const std::string& line) {
    answers_.clear();
    for (const std::string& statement : parts(line, ';')) do_one(statement);
    std::string text;
    for (const std::string& answer : answers_) text += answer + "\n";
    return text;
  }
  std::string end() { return ""; }

 private:
  struct Node {
    std::unique_ptr<lab::Process> process;
    ResourceId resource = {};
    Token token;           // of a `leader`
    std::int64_t now = 0;  // when that renewed last
    std::uint32_t asked = 0;
    std::size_t cut = 0;
  };

  void do_one(const std::string& statement) {
    Words words(statement);
    if (words.peek().ends_with(':')) begin(words.next());
    if (words.done()) return;
    if (words.take("anew")) {
      names_.clear();
      nodes_.clear();
    } else if (words.take("counted")) {
      counted_ = true;
    } else if (words.peek() == "audit" || words.peek() == "of" || words.peek() == "left_out_of" ||
               words.peek() == "lives" || words.peek() == "notes_of_all") {
      const std::optional<lab::Audit> audit = audited();
      const std::string what = words.next();
      const std::string checker = what.ends_with("of") ? words.next() : "";
      if (!audit) return;
      if (what == "audit") say_audit(*audit);
      if (what == "of") say_check(*audit, checker);
      if (what == "left_out_of") say_left_out(*audit, checker);
      if (what == "lives") say_lives(*audit);
      if (what == "notes_of_all")
        for (const std::string& note : audit->notes) answers_.push_back(note);
    } else if (!leads(words)) {
      write(words);
    }
    EXPECT_TRUE(words.done()) << words.rest() << ": not understood";
  }

  void begin(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    it_ = &nodes_[name];
    if (found != names_.end()) return;
    names_.push_back(name);
    make(name, {});
  }
  void make(const std::string& name, ResourceId resource) {
    it_->resource = resource;
    it_->process =
        std::make_unique<lab::Process>(static_cast<std::uint32_t>(std::stoul(name.substr(1))), resource);
  }

  void write(Words& words) {
    lab::Process& process = *it_->process;
    if (words.take("resource")) return make(names_.back(), {static_cast<std::uint32_t>(words.number())});
    if (words.take("ahead")) return process.runs_ahead(words.number());
    if (words.take("cut")) {
      it_->cut = process.text().size();
      return;
    }
    if (words.take("rate")) {
      const std::string rate = words.next();
      return process.runs_at(std::stoll(rate), std::stoll(rate.substr(rate.find('/') + 1)));
    }
    const std::string verb = words.next();
    const std::int64_t at = words.number();
    const auto token = [&words] { return FromText<Token>::read(words.next()); };
    if (verb == "starts") return starts(at, words);
    if (verb == "steps_down") return process.steps_down(at);
    if (verb == "stops") return process.stops(at);
    if (verb == "leads") return process.leads(at, token());
    if (verb == "acquires") return process.acquires(at, token());
    if (verb == "renews") return process.renews(at, token());
    if (verb == "releases") return process.releases(at, token());
    if (verb == "notes") return note(at, words.next());
    if (verb == "renewed") {
      const Token of = token();
      process.renews(at, of);
      it_->now = at;
      return process.believes(at + 10, of, at + 990);
    }
    if (verb == "believes") {
      const Token of = token();
      EXPECT_TRUE(words.take("until"));
      return process.believes(at, of, words.number());
    }
    if (verb == "commits") {
      const Token of = token();
      std::vector<reference::LedgerRow> rows;
      read(words.rest(), rows);
      return process.commits(at, of, rows);
    }
    if (verb == "begins" || verb == "works") {
      const auto event = FromText<reference::EventId>::read(words.next());
      process.begins(at, event, token());
      if (verb == "works") process.ends(at + 10, event);
      return;
    }
    if (verb == "ends") {
      const auto event = FromText<reference::EventId>::read(words.next());
      return process.ends(at, event,
                          words.done() ? WorkResult::done : FromText<WorkResult>::read(words.next()));
    }
    if (verb == "asks" || verb == "asks_leading") return asks(at, words.rest(), verb == "asks_leading");
    if (verb == "hears") {
      const std::string store = words.next();
      const std::size_t hash = store.find('#');
      return hears(at, std::stoll(store),
                   std::stoull(hash == std::string::npos ? store : store.substr(hash + 1)), words.rest());
    }
    if (verb == "never_hears")
      return process.never_hears(
          at, it_->asked,
          words.done() ? RequestOutcome::unknown : FromText<RequestOutcome>::read(words.next()));
    EXPECT_TRUE(verb == "does" || verb == "does_leading") << verb;
    const std::string text = words.rest();
    const std::size_t arrow = text.find(" -> ");
    asks(at - 10, text.substr(0, arrow), verb == "does_leading");
    hears(at + 10, at, static_cast<std::uint64_t>(at), text.substr(arrow + 4));
  }

  void starts(std::int64_t at, Words& words) {
    std::string boot = "boot";
    std::map<std::string, std::int64_t> settings;
    while (!words.done()) {
      const std::string setting = words.next();
      const std::string name = setting.substr(0, setting.find('='));
      const std::string value = setting.substr(name.size() + 1);
      if (name == "boot")
        boot = value == "-" ? "" : value;
      else
        settings[name] = duration_of(value) ? duration_of(value)->ns() : std::stoll(value);
    }
    it_->process->starts(at, boot, settings);
  }
  void note(std::int64_t at, const std::string& what) {
    lab::Process& process = *it_->process;
    if (what == "checks") return process.write(at, Note{LeadershipChecked{}});
    if (what == "remarks") return process.write(at, Note{Annotation{}});
    if (what == "stopped") return process.write(at, Note{Stopped{}});
    if (what == "asked_to_stop") return process.write(at, StopAsked{});
    EXPECT_TRUE(what == "died" || what == "ended") << what;
    process.write(at, journal::LifeEnded{what == "ended"});
  }

  void asks(std::int64_t at, const std::string& text, bool as_leader) {
    std::variant<reference::Acquire, reference::Renew, reference::Release, reference::CommitFires,
                 reference::AckEvents, reference::GiveUpEvents, reference::ReadOutbox,
                 reference::ChangesSince, reference::SetHold, reference::ClearHold>
        asked;
    read(text, asked);
    std::visit(
        [&](auto& one) {
          if constexpr (requires { one.resource; }) one.resource = it_->resource;
          if constexpr (requires { one.holder; }) one.holder = it_->process->who();
          if constexpr (
              requires {
                one.epoch_seen;
                one.duration;
              } ||
              requires {
                one.token;
                one.duration;
              })
            if (one.duration == Duration{}) one.duration = Duration::seconds(1);
          it_->asked = it_->process->asks(at, one, as_leader);
        },
        asked);
  }
  void hears(std::int64_t at, std::int64_t store, std::uint64_t position, const std::string& text) {
    std::variant<reference::Granted, reference::Refused, reference::Released, reference::Committed,
                 reference::Acknowledged, reference::Outbox, reference::HoldSet>
        reply;
    read(text, reply);
    std::visit(
        [&](auto& one) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, reference::Granted>)
            if (one.duration == Duration{}) one.duration = Duration::seconds(1);
          it_->process->hears(at, it_->asked, one, store, position);
        },
        reply);
  }

  // ---- one that leads for long ----

  bool leads(Words& words) {
    if (words.take("goes_on")) {
      goes_on(words.number());
    } else if (words.take("silent_until")) {
      it_->now = words.number();
    } else if (words.take("finishes")) {
      const std::int64_t at = words.number();
      goes_on(at);
      it_->process->steps_down(at + 90);
      it_->process->stops(at + 100);
    } else if (words.take("fires")) {
      const std::string reach = words.next();
      const std::size_t dots = reach.find("..");
      const std::int64_t last =
          dots == std::string::npos ? std::stoll(reach) : std::stoll(reach.substr(dots + 2));
      const std::string of = words.cut("of");
      const bool works = !words.take("unsent");
      const std::string what = words.done() ? "" : words.rest() + " ";
      for (std::int64_t at = std::stoll(reach); at <= last; at += 10'000) {
        if (of != "8") fire(at, "7", what, works);
        if (of.ends_with('8')) fire(at + (of == "8" ? 0 : 5'000), "8", what, works);
      }
    } else if (words.take("leader")) {
      lead(words);
    } else {
      return false;
    }
    return true;
  }
  void lead(Words& words) {
    it_->token = FromText<Token>::read(words.next());
    const std::int64_t from = words.take("from") ? words.number() : 0;
    EXPECT_TRUE(words.take("of"));
    std::string told;
    do told += (told.empty() ? "" : " ") + words.next();
    while (!told.ends_with(')'));
    std::vector<reference::Change> changes;
    read(told, changes);
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i].seq = i + 1;
    Words settings("boot=boot max_running=1000 batch=500 stall_timeout=15s " + words.rest());
    starts(from, settings);
    lab::Process& process = *it_->process;
    process.leads(from + 100, it_->token);
    asks(from + 120, "changes_since", true);
    process.hears(from + 140, it_->asked,
                  reference::Changes{std::move(changes), 2, false, std::nullopt, it_->token.branch},
                  from + 130, static_cast<std::uint64_t>(from + 130));
    it_->now = from + 200;
  }
  void renew(std::int64_t at) {
    it_->process->renews(at, it_->token);
    it_->process->believes(at + 10, it_->token, at + 990);
    it_->now = at;
  }
  void goes_on(std::int64_t to) {
    while (it_->now + 500 < to) renew(it_->now + 500);
  }
  // Commits the slot when it is due, and does its work.
  void fire(std::int64_t at, const std::string& schedule, const std::string& what, bool works) {
    goes_on(at);
    if (at > it_->now) renew(at + 50);
    auto row = FromText<reference::LedgerRow>::read(fmt::format("{}{}..{}", what, at, at + 10'000));
    row.schedule = FromText<ScheduleId>::read(schedule);
    it_->process->commits(at + 300, it_->token, {row});
    const reference::EventId event = lab::slot(at, row.schedule.value);
    if (works && what.empty()) {
      it_->process->begins(at + 320, event, it_->token);
      it_->process->ends(at + 330, event);
    }
    it_->now = std::max(it_->now, at + 200);
  }

  // ---- answers ----

  // None: it is said why they are refused.
  std::optional<lab::Audit> audited() {
    std::vector<std::string> texts;
    bool is_cut = false;
    for (const std::string& name : names_) {
      const Node& node = nodes_.at(name);
      texts.push_back(node.process->text().substr(node.cut));
      is_cut = is_cut || node.cut > 0;
    }
    auto found = lab::audit_texts(texts, counted_ || is_cut, is_cut);
    if (const auto* bad = std::get_if<lab::BadJournal>(&found)) {
      answers_.push_back("refused: " + bad->message);
      return std::nullopt;
    }
    return std::get<lab::Audit>(std::move(found));
  }
  void say_audit(const lab::Audit& audit) {
    std::string text(name_of(audit.verdict));
    for (const sim::CheckResult& check : audit.checks)
      if (check.violation_count > 0)
        text += (text.find(':') == std::string::npos ? ": " : ", ") + check.name +
                (check.violation_count > 1 ? fmt::format(" ({})", check.violation_count) : "");
    answers_.push_back(text + (audit.timeline ? "" : "; it has no timeline"));
    for (const std::string& one : audit.lacking) answers_.push_back("lacking: " + one);
  }
  void say_lives(const lab::Audit& audit) {
    using End = lab::AuditedLife::End;
    for (const lab::AuditedLife& life : audit.lives)
      answers_.push_back(fmt::format("{} in {}{}", life.name, life.journal,
                                     life.end == End::stopped     ? ", stopped"
                                     : life.end == End::abandoned ? ", abandoned"
                                                                  : ""));
  }
  void say_check(const lab::Audit& audit, const std::string& name) {
    for (const lab::Silence& one : audit.not_judged)
      if (one.checker == name) answers_.push_back(name + " is not judged: " + one.why);
    const sim::CheckResult* check = lab::find_check(audit, name);
    if (check == nullptr) return;
    answers_.push_back(fmt::format("{}: {}, {} looks, {} violations", name, name_of(check->verdict),
                                   check->opportunities, check->violation_count));
    for (const sim::ReportedViolation& one : check->violations) answers_.push_back(one.message);
  }

  void say_left_out(const lab::Audit& audit, const std::string& name) {
    for (const lab::Silence& one : audit.left_out)
      if (one.checker == name) answers_.push_back(one.why);
  }

  std::vector<std::string> names_;
  std::map<std::string, Node> nodes_;
  Node* it_ = nullptr;
  bool counted_ = false;
  std::vector<std::string> answers_;
};

}  // namespace tenure::testing
