// What stores answer, as text: a file for each in interactions/, which TENURE_REWRITE_GOLDEN=1 writes anew.
//
//   put k a lease=5; +3s get k          # fields in their order, or by name; before a request time may go by
//   txn compare=(k version=2) success=(put k b; put l b)
//   #2 watch k                          # it may wait: what it is answered says #2, whenever that is
//   #3@n2/1 next_event 1                # asked by n2, on its connection 1
//
// tests/support/field_words.h says how a request is written. `restart`, `gone n1`, `clock -60s`, `replica` (one is
// promoted), `part n1 [without_leader] [confirms]`, `elect`, `depose` and `rejoin [stalled]` happen to
// the store or its servers. An answer that says that the request failed says as well when it has changed the store
// all the same.
#include "tests/support/interaction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/stores/consul/requests.h"
#include "sim/stores/etcd/requests.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/queue/requests.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/redis/requests.h"
#include "sim/stores/registry.h"
#include "sim/stores/schedule_table/requests.h"
#include "sim/stores/server_cluster.h"
#include "sim/stores/session_store.h"
#include "sim/stores/zookeeper/requests.h"
#include "tests/support/field_words.h"

// As the texts write them; times are seconds, those of a store from its beginning on.
namespace tenure::testing {

constexpr StoreTime kBeginning = StoreTime::from_ns(1'767'225'600'000'000'000);

template <>
struct FromText<Incarnation> {
  static Incarnation read(const std::string& text) { return incarnation_of(text); }
};
template <>
struct FromText<WallTime> {
  static WallTime read(const std::string& text) { return WallTime{} + Duration::seconds(std::stoll(text)); }
};
template <>
struct FromText<StoreTime> {
  static StoreTime read(const std::string& text) {
    return text == "never" ? StoreTime::max() : kBeginning + Duration::seconds(std::stoll(text));
  }
};
template <>
struct FromText<Definition> {
  static Definition read(const std::string& text) {
    Words words(text);
    Definition made;
    words.take("every");
    const Duration period = duration_of(words.next()).value();
    made.recurrence = Interval{FromText<StoreTime>::read(words.cut("from")), period};
    made.paused = words.take("paused");
    return made;
  }
};

}  // namespace tenure::testing

namespace tenure::interaction_tests {
namespace {

template <class Family>
Request request_of(const std::string& text) {
  Family family;
  testing::read(text, family);
  return family;
}

using Reader = Request (*)(const std::string&);
const std::pair<std::string_view, Reader> kReaders[] = {
    {"consul", request_of<consul::Request>},
    {"etcd", request_of<etcd::Request>},
    {"lease-table", request_of<lease_table::Request>},
    {"queue", request_of<queue::Request>},
    {"record", request_of<record::Request>},
    {"redis", request_of<redis::Request>},
    {"schedule-table", request_of<schedule_table::Request>},
    {"zookeeper", request_of<zookeeper::Request>}};

class StoreTalk {
 public:
  StoreTalk(const std::string&, const std::pair<std::string_view, Reader>& store)
      : store_(find_store_kind(store.first)->make()), reader_(store.second) {}

  std::string say(const std::string& line) {
    answers_.clear();
    for (const std::string& statement : testing::parts(line, ';')) do_one(testing::Words(statement));
    return testing::wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 private:
  void do_one(testing::Words words) {
    if (words.peek().starts_with("+")) wait(testing::duration_of(words.next().substr(1)).value());
    take_completed();
    if (words.take("clock")) {
      now_ += testing::duration_of(words.next()).value();
    } else if (words.take("restart")) {
      store_->sessions()->restart(now_);
    } else if (words.take("gone")) {
      store_->sessions()->client_is_gone(client(words.next()), now_);
    } else if (words.take("again")) {
      store_->sessions()->deliver_again(now_);
    } else if (words.take("replica")) {
      store_ = store_->clone();
      store_->promote(2);
    } else if (!words.done() && !happens_to_servers(words)) {
      ask(words);
    }
    take_completed();
  }
  bool happens_to_servers(testing::Words& words) {
    ServerCluster* const servers = cluster();
    if (servers == nullptr) return false;
    if (words.take("part")) {
      ServerSplit split{{client(words.next()).node}};
      split.leader_is_in_minority = !words.take("without_leader");
      split.leader_confirms = words.take("confirms");
      servers->part(split, now_);
    } else if (words.take("elect")) {
      servers->elect(now_);
    } else if (words.take("depose")) {
      servers->depose(now_);
    } else if (words.take("rejoin")) {
      servers->rejoin(words.take("stalled"), now_);
    } else {
      return false;
    }
    return true;
  }
  ServerCluster* cluster() const {
    return store_->sessions() != nullptr ? store_->sessions()->cluster() : nullptr;
  }
  static Incarnation client(const std::string& name) {
    return {NodeId{static_cast<std::uint32_t>(name.at(1) - '0')}, 1};
  }
  // Of those that have waited.
  void take_completed() {
    if (store_->sessions() == nullptr) return;
    for (const auto& [ticket, reply] : store_->sessions()->take_completed())
      answers_.push_back("#" + std::to_string(ticket) + " " + describe(reply));
  }
  std::uint64_t hash() const {
    Hasher hasher;
    store_->hash(hasher, now_);
    return hasher.value();
  }
  void ask(testing::Words words) {
    std::uint64_t ticket = 0;
    std::uint32_t connection = 0;
    std::string who = "n1";
    if (words.peek().front() == '#') {
      const std::string caller = words.next();
      ticket = std::stoull(caller.substr(1));
      if (const auto at = caller.find('@'); at != std::string::npos) who = caller.substr(at + 1);
      if (const auto slash = caller.find('/'); slash != std::string::npos)
        connection = static_cast<std::uint32_t>(std::stoul(caller.substr(slash + 1)));
    }
    const Request request = reader_(words.rest());
    if (cluster() != nullptr && cluster()->loses(client(who).node, request, now_)) return;
    const std::uint64_t before = hash();
    std::vector<Notification> heard;
    const std::optional<Reply> reply =
        store_->sessions() != nullptr
            ? store_->sessions()->begin({client(who), Part::elector, connection}, ticket, request, now_)
            : std::optional(store_->apply(request, now_, heard));
    if (!reply) return;
    std::string answer = describe(*reply);
    if (answer.find("failed") == 0 && hash() != before) answer += ", and something has changed";
    answers_.push_back(answer);
  }
  void wait(Duration length) {
    SessionStore* const sessions = store_->sessions();
    const StoreTime until = now_ + length;
    while (sessions != nullptr && sessions->next_time_out() && *sessions->next_time_out() <= until) {
      now_ = *sessions->next_time_out();
      sessions->time_out(now_);
    }
    now_ = until;
  }

  std::unique_ptr<StoreMachine> store_;
  Reader reader_;
  std::vector<std::string> answers_;
  StoreTime now_ = testing::kBeginning;
};

void expect_answers(std::string_view name, std::string file = "") {
  const auto* const store = std::find_if(std::begin(kReaders), std::end(kReaders),
                                         [name](const auto& each) { return each.first == name; });
  if (file.empty()) file = name;
  std::replace(file.begin(), file.end(), '-', '_');
  testing::expect_interaction<StoreTalk>("tests/sim/stores/interactions/" + file + ".txt", *store);
}

TEST(Consul, answers_as_its_text_says) { expect_answers("consul"); }
TEST(Etcd, answers_as_its_text_says) { expect_answers("etcd"); }
TEST(EtcdCluster, answers_as_its_text_says) { expect_answers("etcd", "etcd_cluster"); }
TEST(LeaseTable, answers_as_its_text_says) { expect_answers("lease-table"); }
TEST(Queue, answers_as_its_text_says) { expect_answers("queue"); }
TEST(Record, answers_as_its_text_says) { expect_answers("record"); }
TEST(Redis, answers_as_its_text_says) { expect_answers("redis"); }
TEST(ScheduleTable, answers_as_its_text_says) { expect_answers("schedule-table"); }
TEST(Zookeeper, answers_as_its_text_says) { expect_answers("zookeeper"); }

}  // namespace
}  // namespace tenure::interaction_tests
