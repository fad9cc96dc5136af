// An elector's life as text (tests/support/interaction.h): what it hears, and after each what it does.
//
//   set request_timeout=20s             # before anything else
//   start; +4ms #1 granted 1            # time goes by, then request 1 is answered: for 15s, with nonce 1
//   #2 granted 1:3/7 for 8s             # branch 1, epoch 3, nonce 7
//   #2 refused other_holder n2 7 for 11s; #2 released; #2 unknown; #2 rejected
//   reply granted 1                     # to the latest request
//   fire 0; fire 1 x3; draw 150ms; draw poll 2s  # a timer; the next jitter
//   in 3 n2; n1 token 1 4; wall -3s     # it is n2 of three, hears a message, and its wall clock is set
//   freed; changed; stop; aside 40s     # hints of the store; it is asked to stop, or to let others lead for so long
//
// Besides its effects an answer says whether it leads, when that has changed.
//
// Thread rule: one test.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/lease/elector_harness.h"
#include "tests/support/interaction.h"

namespace tenure::testing {

class ElectorTalk {
 public:
  ElectorTalk(const std::string&, const ElectorKind* kind) : kind_(kind) {}
  virtual ~ElectorTalk() = default;

  std::string say(const std::string& line) {
    answers_.clear();
    for_each_statement(line, [this](Words words) { do_one(std::move(words)); });
    return wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 protected:
  // A setting's number; and an answer that is of another store.
  virtual std::int64_t number_of(const std::string&, const std::string& value) {
    const auto length = duration_of(value);
    return length ? length->ns() : std::stoll(value);
  }
  virtual void hear(Stand& stand, RequestId id, Words& words) {
    ADD_FAILURE() << words.rest() << " to " << id.counter << " of " << stand.world.self().number;
  }
  static Duration read_length(Words& words, Duration by_default) {
    if (!words.take("for")) return by_default;
    if (words.take("ever")) return Duration::max();
    if (words.take("less than nothing")) return -Duration::max();
    return duration_of(words.next()).value();
  }
  // "n2" is 1.
  static std::uint32_t read_node(Words& words) {
    return static_cast<std::uint32_t>(std::stoul(words.next().substr(1)) - 1);
  }

 private:
  void do_one(Words words) {
    if (words.take("set")) {
      const std::string setting = words.next();
      const std::size_t equal = setting.find('=');
      names_.push_back(setting.substr(0, equal));
      settings_.emplace_back(names_.back(), number_of(names_.back(), setting.substr(equal + 1)));
      return;
    }
    if (words.take("in")) {
      size_ = static_cast<std::uint32_t>(words.number());
      self_ = read_node(words);
      return;
    }
    if (!stand_) stand_.emplace(*kind_, settings_, size_, self_);
    ScriptedEnv& world = stand_->world;
    world.take();
    if (words.peek().starts_with("+")) world.advance(duration_of(words.next().substr(1)).value());
    const ResourceId other{1};
    if (words.take("start")) {
      stand_->start();
    } else if (words.take("fire")) {
      const auto timer = static_cast<std::uint8_t>(words.number());
      for (int times = words.done() ? 1 : std::stoi(words.next().substr(1)); times > 0; --times) {
        stand_->fire(timer);
        note_answers();
        world.take();
      }
    } else if (words.take("draw")) {
      const char* const purpose = words.take("poll") ? "poll jitter" : "retry jitter";
      world.draw(purpose, static_cast<std::uint64_t>(duration_of(words.next())->ns()));
    } else if (words.take("wall")) {
      world.set_wall(world.wall_now() + duration_of(words.next()).value());
    } else if (words.peek().size() == 2 && words.peek()[0] == 'n') {
      const std::uint32_t from = read_node(words);
      const std::string kind = words.next();
      std::vector<std::int64_t> said;
      while (!words.done()) said.push_back(words.number());
      stand_->hear(from, kind, said);
    } else if (words.take("freed")) {
      stand_->step(
          ChangeNotified{StoreId{words.take("elsewhere") ? 1u : 0u},
                         {Notification::What::lease_freed, words.take("of another") ? other : ResourceId{}}});
    } else if (words.take("changed")) {
      stand_->step(ChangeNotified{StoreId{}, {Notification::What::schedules_changed, ResourceId{}}});
    } else if (words.take("added")) {
      stand_->step(ChangeNotified{StoreId{}, {Notification::What::events_added, ResourceId{}}});
    } else if (words.take("stop")) {
      stand_->step(StopAsked{});
    } else if (words.take("aside")) {
      stand_->elector->step_aside({"cannot fire", duration_of(words.next()).value()}, world.env());
    } else if (words.peek().starts_with("#")) {
      answer(RequestId{world.self(), static_cast<std::uint32_t>(std::stoul(words.next().substr(1)))}, words);
    } else if (words.take("reply")) {
      answer(world.outstanding().rbegin()->first, words);
    }
    EXPECT_TRUE(words.done()) << words.rest() << ": not understood";
    note_answers();
  }

  void answer(RequestId id, Words& words) {
    ScriptedEnv& world = stand_->world;
    if (words.take("unknown")) return stand_->step(world.unknown(id));
    if (words.take("rejected")) return stand_->step(world.rejected(id));
    if (words.take("released")) return stand_->answer(id, reference::Released{});
    if (words.take("granted")) {
      const Token token = read_token(words.next());
      return stand_->answer(id, reference::Granted{token, read_length(words, Duration::seconds(15))});
    }
    if (!words.take("refused")) return hear(*stand_, id, words);
    reference::Refused refused{denial_of(words.next()), {}, 0, {}};
    if (words.peek().starts_with("n")) refused.holder = {NodeId{read_node(words)}, 1};
    refused.epoch = static_cast<std::uint64_t>(words.number());
    refused.remaining = read_length(words, {});
    stand_->answer(id, refused);
  }
  static reference::Denial denial_of(const std::string& name) {
    using enum reference::Denial;
    for (const reference::Denial why : {no_lease, other_holder, stale_token, expired, other_branch})
      if (std::string(name_of(why)) == with_spaces(name)) return why;
    EXPECT_EQ(name, "stale_view");
    return stale_view;
  }
  static std::string with_spaces(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
  }

  void note_answers() {
    for (const Effect& effect : stand_->world.effects()) answers_.push_back(text_of(effect));
    const Leadership now = stand_->leadership();
    const std::string leads = stand_->leads()
                                  ? "leads" + (now.token ? " under " + describe(*now.token) : "") +
                                        " until " + describe(now.believed_until)
                                  : "";
    if (leads != leads_) answers_.push_back(leads.empty() ? "leads no longer" : leads);
    leads_ = leads;
  }

  const ElectorKind* kind_;
  std::uint32_t size_ = 3;
  std::uint32_t self_ = 0;
  std::deque<std::string> names_;
  Stand::Settings settings_;
  std::optional<Stand> stand_;
  std::string leads_;
  std::vector<std::string> answers_;
};

}  // namespace tenure::testing
