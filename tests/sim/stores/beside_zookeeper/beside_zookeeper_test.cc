// The machine of ZooKeeper and a real ZooKeeper are asked the same, and answer the same; and sessions end within the
// same bounds. The real one has ticks of a tenth of the machine's length, so that a test waits a tenth as long.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <thread>

#include "sim/stores/zookeeper/requests.h"
#include "sim/stores/zookeeper/zookeeper_store.h"
#include "tests/sim/stores/beside_zookeeper/zookeeper_server.h"

namespace tenure::zookeeper {
namespace {

using std::chrono::milliseconds;
using Instant = std::chrono::steady_clock::time_point;

constexpr milliseconds kTick{200};
constexpr milliseconds kTimeout{1'000};   // 10 s of the machine's
constexpr milliseconds kPatience{2'000};  // of a busy computer
constexpr milliseconds kPrompt{50};       // what it takes mostly

ZookeeperServer& server() {
  static ZookeeperServer one(kTick);
  return one;
}

// ---- replies as text, with ids and zxids by order of appearance --------------------------------------------------

std::string text_of(const Stat& stat, std::int64_t first_zxid, const std::map<std::int64_t, int>& sessions) {
  const int owner = stat.ephemeral_owner != 0 ? sessions.at(stat.ephemeral_owner) : 0;
  return fmt::format("c{} m{} v{} cv{} owner {} children {}", stat.czxid - first_zxid,
                     stat.mzxid - first_zxid, stat.version, stat.cversion, owner, stat.num_children);
}

std::string text_of(const std::optional<Reply>& reply, std::int64_t first_zxid,
                    const std::map<std::int64_t, int>& sessions) {
  if (!reply) return "closed";
  if (const auto* failed = std::get_if<Failed>(&*reply)) return failed->code;
  if (const auto* created = std::get_if<Created>(&*reply)) return created->path;
  if (const auto* stat = std::get_if<Stat>(&*reply)) return text_of(*stat, first_zxid, sessions);
  if (const auto* data = std::get_if<Data>(&*reply))
    return data->data + " " + text_of(data->stat, first_zxid, sessions);
  if (const auto* existing = std::get_if<Existing>(&*reply))
    return existing->stat ? text_of(*existing->stat, first_zxid, sessions) : "not there";
  if (const auto* children = std::get_if<Children>(&*reply))
    return fmt::format("{}", fmt::join(children->children, " "));
  return "done";
}

// ---- the two, side by side -----------------------------------------------------------------------------------------

constexpr int kClients = 3;
constexpr Incarnation kWho{NodeId{1}, 1};

class Pair {
 public:
  explicit Pair(std::string root) : root_(std::move(root)) {
    for (int i = 0; i < kClients; ++i) {
      clients_.push_back(std::make_unique<ZookeeperClient>(server(), milliseconds(20'000)));
      real_[clients_.back()->session().id] = i + 1;
      const auto made = begin(Connect{Duration::seconds(40), {}}, i);
      ids_.push_back(std::get<Connected>(*made).session);
      machine_[ids_.back()] = i + 1;
    }
    clients_[0]->ask(Create{0, root_, "", {}, {}});
    begin(Create{ids_[0], root_, "", {}, {}}, 0);
    real_first_ = std::get<Existing>(*clients_[0]->ask(Exists{0, root_, {}})).stat->czxid;
    machine_first_ = std::get<Existing>(*begin(Exists{ids_[0], root_, {}}, 0)).stat->czxid;
  }

  // No session is left to end in the middle of the next history.
  ~Pair() {
    for (const auto& client : clients_) client->ask(Close{});
  }
  Pair(const Pair&) = delete;

  // What each of the two answers; of watches, all that they have told by then.
  std::pair<std::string, std::string> ask(Request request, int client) {
    std::visit(
        [&](auto& asked) {
          if constexpr (requires { asked.path; }) asked.path = root_ + asked.path;
          if constexpr (!std::is_same_v<std::decay_t<decltype(asked)>, Connect>)
            asked.session = ids_[static_cast<std::size_t>(client)];
        },
        request);
    std::string real = text_of(clients_[static_cast<std::size_t>(client)]->ask(request), real_first_, real_);
    std::string machine = text_of(begin(request, client), machine_first_, machine_);
    for (int i = 0; i < kClients; ++i) {
      const auto at = static_cast<std::size_t>(i);
      // An answer comes after all events before it.
      clients_[at]->ask(Ping{});
      while (const auto event = clients_[at]->next_event(milliseconds(0))) real += told(i, *event);
      while (const auto event = next_event(i)) machine += told(i, *event);
    }
    return {real, machine};
  }

 private:
  static std::string told(int client, const WatchedEvent& event) {
    return fmt::format("; {} is told {} {}", client, event.type, event.path);
  }
  std::optional<Reply> begin(const Request& request, int client) {
    const auto reply = store_.begin({kWho, Part::elector, 0, static_cast<std::uint8_t>(client)}, 1,
                                    tenure::Request{request}, now_);
    return reply ? std::optional(*message_as<Reply>(*reply)) : std::nullopt;
  }
  std::optional<WatchedEvent> next_event(int client) {
    begin(NextEvent{ids_[static_cast<std::size_t>(client)]}, client);
    std::optional<WatchedEvent> event;
    for (const auto& [ticket, reply] : store_.take_completed())
      if (const auto* one = std::get_if<WatchedEvent>(&*message_as<Reply>(reply))) event = *one;
    store_.client_is_gone(kWho, now_);
    return event;
  }

  std::string root_;
  ZookeeperStore store_;
  StoreTime now_ = StoreTime::from_ns(1'767'225'600'000'000'000);
  std::vector<std::unique_ptr<ZookeeperClient>> clients_;
  std::vector<std::int64_t> ids_;
  std::map<std::int64_t, int> real_;
  std::map<std::int64_t, int> machine_;
  std::int64_t real_first_ = 0;
  std::int64_t machine_first_ = 0;
};

Request drawn(std::mt19937& noise) {
  const auto below = [&noise](std::uint32_t n) { return noise() % n; };
  const char* const paths[] = {"/a", "/b", "/a/x", "/a/y", "", "/b/s-"};
  const std::string path = paths[below(5)];
  const auto version = [&]() -> std::optional<std::int64_t> {
    return below(3) == 0 ? std::optional<std::int64_t>(below(3)) : std::nullopt;
  };
  switch (below(9)) {
    case 0:
    case 1: return Create{0, path, fmt::format("d{}", below(100)), below(3) == 0, {}};
    case 2: return Create{0, path + "/s-", "", below(2) == 0, true};
    case 3: return Delete{0, path, version()};
    case 4: return SetData{0, path, fmt::format("d{}", below(100)), version()};
    case 5: return Exists{0, path, below(2) == 0};
    case 6: return GetData{0, path, below(2) == 0};
    default: return GetChildren{0, path, below(2) == 0};
  }
}

TEST(BesideZookeeper, answers_and_tells_the_same_in_drawn_histories) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    Pair pair(fmt::format("/h{}", seed));
    std::mt19937 noise(seed);
    for (int step = 0; step < 150; ++step) {
      const int client = static_cast<int>(noise() % kClients);
      const auto [real, machine] = pair.ask(drawn(noise), client);
      ASSERT_EQ(machine, real) << "seed " << seed << ", step " << step;
    }
  }
}

// ---- sessions ------------------------------------------------------------------------------------------------------

TEST(BesideZookeeper, bounds_a_timeout_by_2_and_20_ticks) {
  EXPECT_EQ(ZookeeperClient(server(), milliseconds(1)).timeout(), kTick * 2);
  EXPECT_EQ(ZookeeperClient(server(), milliseconds(60'000)).timeout(), kTick * 20);
  EXPECT_EQ(ZookeeperClient(server(), milliseconds(1'230)).timeout(), milliseconds(1'230));
}

TEST(BesideZookeeper, ends_a_session_within_a_tick_after_its_timeout_since_it_was_heard_of) {
  ZookeeperClient other(server(), milliseconds(4'000));
  int prompt = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string path = fmt::format("/ends{}", i);
    const Instant made = std::chrono::steady_clock::now();
    ZookeeperClient client(server(), kTimeout);
    client.ask(Create{0, path, "", true, {}});
    std::this_thread::sleep_for(milliseconds(37 * i));
    const Instant sent = std::chrono::steady_clock::now();
    const bool answered = client.ask(Ping{}).has_value();
    const Instant heard = std::chrono::steady_clock::now();
    if (!answered) {  // this computer stood still until the session was over
      ASSERT_GE(heard - made, kTimeout);
      continue;
    }
    other.ask(Exists{0, path, true});
    const auto event = other.next_event(milliseconds(10'000));
    const Instant gone = std::chrono::steady_clock::now();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->type + " " + event->path, "NodeDeleted " + path);
    EXPECT_GE(gone - sent, kTimeout);
    EXPECT_LE(gone - heard, kTimeout + kTick + kPatience);
    if (gone - heard <= kTimeout + kTick + kPrompt) ++prompt;
    EXPECT_FALSE(client.ask(Ping{})) << "its connection is closed, and that is all it is told";
    EXPECT_EQ(ZookeeperClient(server(), kTimeout, client.session()).session().id, 0);
    other.ask(Ping{});
  }
  EXPECT_GE(prompt, 5) << "mostly within a tick; one tick later, a quarter would be";
}

TEST(BesideZookeeper, has_a_session_on_the_connection_that_connected_it_last) {
  ZookeeperClient first(server(), kTimeout);
  first.ask(Create{0, "/moves", "", true, {}});
  ZookeeperClient second(server(), milliseconds(4'000), first.session());
  EXPECT_EQ(second.session().id, first.session().id);
  EXPECT_FALSE(first.ask(Delete{0, "/moves", {}})) << "one server closes the former connection";
  EXPECT_TRUE(std::get<Existing>(*second.ask(Exists{0, "/moves", {}})).stat.has_value());
  std::this_thread::sleep_for(milliseconds(1'500));
  EXPECT_TRUE(second.ask(Ping{})) << "the timeout is that of the last connect";
}

TEST(BesideZookeeper, begins_every_session_anew_after_a_restart) {
  const milliseconds timeout{4'000};
  ZookeeperClient before(server(), timeout);
  before.ask(Create{0, "/restart", "", true, {}});
  std::this_thread::sleep_for(milliseconds(1'000));
  server().kill();
  std::this_thread::sleep_for(milliseconds(3'500));  // its time would have been over
  server().start();
  EXPECT_FALSE(before.ask(Ping{}));
  ZookeeperClient after(server(), timeout, before.session());
  EXPECT_EQ(after.session().id, before.session().id);
  EXPECT_TRUE(std::get<Existing>(*after.ask(Exists{0, "/restart", {}})).stat.has_value());
}

}  // namespace
}  // namespace tenure::zookeeper
