// The machine beside a real redis-server (with_redis.sh): drawn histories are applied to both, and every reply must be
// the same. Real time passes between two requests, a few milliseconds at a time, and so keys end on both.
//
// Redis 7.0 reads its clock more than once for a command: for what has ended, and for a new end. So only what happened
// within one millisecond of the server is compared, and its clock is read before and after. After anything else both
// keys of the history are deleted, and it goes on from there.
//
// Then the replica is promoted, as in a failover: what the primary does from there on is lost, and the histories go on
// at the replica, from the state that they had.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/stores/redis/redis_store.h"

namespace tenure::redis {
namespace {

constexpr std::int64_t kMilliNs = 1'000'000;

// A connection, in Redis' own protocol (RESP2).
class Client {
 public:
  // To the socket that this variable names.
  explicit Client(const char* variable) {
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const char* const path = std::getenv(variable);
    if (path == nullptr)
      throw std::runtime_error(fmt::format("{} is not set: run it by with_redis.sh", variable));
    std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect to Redis");
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;

  void send(const std::vector<std::string>& words) {
    std::string text = fmt::format("*{}\r\n", words.size());
    for (const std::string& word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
    if (::write(socket_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("cannot write to Redis");
  }
  // As text: a status with +, an error with -, a number with :, a string with $, nil as "nil", a list as its items.
  std::vector<std::string> receive() {
    std::string head = line();
    const char type = head.front();
    if (type == '+' || type == '-' || type == ':') return {head};
    const int count = std::stoi(head.substr(1));
    if (count < 0) return {"nil"};
    if (type == '$') {
      while (buffer_.size() < static_cast<std::size_t>(count) + 2) fill();
      std::string text = "$" + buffer_.substr(0, static_cast<std::size_t>(count));
      buffer_.erase(0, static_cast<std::size_t>(count) + 2);
      return {text};
    }
    std::vector<std::string> items;
    for (int i = 0; i < count; ++i)
      for (std::string& item : receive()) items.push_back(std::move(item));
    return items;
  }

 private:
  void fill() {
    char chunk[4096];
    const ssize_t size = ::read(socket_, chunk, sizeof chunk);
    if (size <= 0) throw std::runtime_error("Redis has closed the connection");
    buffer_.append(chunk, static_cast<std::size_t>(size));
  }
  std::string line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) fill();
    std::string text = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return text;
  }

  int socket_ = -1;
  std::string buffer_;
};

// ---- a request, and a reply, as the server has them -----------------------------------------------------------------

std::string ms(Duration length) { return std::to_string(length.ns() / kMilliNs); }

struct Words {
  std::vector<std::string> operator()(const Set& it) const {
    std::vector<std::string> words = {"SET", it.key, it.value};
    if (it.nx) words.push_back("NX");
    if (it.px) words.insert(words.end(), {"PX", ms(*it.px)});
    return words;
  }
  std::vector<std::string> operator()(const Get& it) const { return {"GET", it.key}; }
  std::vector<std::string> operator()(const Del& it) const { return {"DEL", it.key}; }
  std::vector<std::string> operator()(const Pexpire& it) const {
    return {"PEXPIRE", it.key, ms(it.milliseconds)};
  }
  std::vector<std::string> operator()(const Pttl& it) const { return {"PTTL", it.key}; }
  std::vector<std::string> operator()(const CompareAndDelete& it) const {
    return {
        "EVAL",
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
        "1", it.key, it.value};
  }
  std::vector<std::string> operator()(const CompareAndExtend& it) const {
    return {
        "EVAL",
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else "
        "return 0 end",
        "1",
        it.key,
        it.value,
        ms(it.milliseconds)};
  }
};

struct Said {
  std::string operator()(const Status& it) const { return it.ok ? "+OK" : "nil"; }
  std::string operator()(const Bulk& it) const { return it.value ? "$" + *it.value : "nil"; }
  std::string operator()(const Integer& it) const { return fmt::format(":{}", it.value); }
  std::string operator()(const Failed& it) const { return "-" + it.message; }
};

// ---- one history ----------------------------------------------------------------------------------------------------

class History {
 public:
  explicit History(unsigned number) : number_(number), dice_(number) {}

  // At one of the servers. Empty: the two agreed in everything.
  std::string run(Client& client, int requests) {
    for (int i = 0; i < requests; ++i) {
      if (roll(3) > 0) std::this_thread::sleep_for(std::chrono::microseconds(roll(15'000)));
      const Request request = some_request();
      if (std::string difference = apply(client, request); !difference.empty()) return difference;
    }
    return {};
  }
  // Without the machine.
  void lose(Client& client, int requests) {
    for (int i = 0; i < requests; ++i) {
      client.send(std::visit(Words{}, some_request()));
      client.receive();
    }
  }
  int compared() const { return compared_; }  // requests
  int ended() const { return ended_; }        // keys that were there, and then were not

 private:
  int roll(int n) { return static_cast<int>(dice_() % static_cast<unsigned>(n)); }
  std::string key(int i) const { return fmt::format("{}-{}", number_, i); }
  // From below nothing to a few waits.
  Duration length() { return Duration::millis(roll(20) - 1); }

  Request some_request() {
    const std::string one = key(roll(2));
    const std::string value = roll(2) == 0 ? "a" : "b";
    switch (roll(8)) {
      case 0: return Set{one, value, roll(2) == 0, std::nullopt};
      case 1:
      case 2:
      case 3: return Set{one, value, true, length()};
      case 4: return Pexpire{one, length()};
      case 5: return CompareAndDelete{one, value};
      case 6: return CompareAndExtend{one, value, length()};
      default: return Del{one};
    }
  }

  // The request, and what then is left of both keys, with no request of another in between.
  std::string apply(Client& client, const Request& request) {
    std::vector<Request> all = {request};
    for (const int i : {0, 1}) {
      all.push_back(Get{key(i)});
      all.push_back(Pttl{key(i)});
    }
    wait_for_next_millisecond();
    client.send({"TIME"});
    client.send({"MULTI"});
    for (const Request& each : all) client.send(std::visit(Words{}, each));
    client.send({"EXEC"});
    client.send({"TIME"});
    const std::int64_t first = time_of(client.receive());
    for (std::size_t i = 0; i <= all.size(); ++i) client.receive();  // OK, and QUEUED for each
    const std::vector<std::string> replies = client.receive();
    const std::int64_t last = time_of(client.receive());

    if (first != last) return begin_anew(client), "";
    ++compared_;
    const std::vector<std::string> own = replies_of(all, first);
    for (const std::size_t i : {0U, 1U}) {
      const bool lives = replies.at(2 + 2 * i) != ":-2";
      if (lived_[i] && !lives) ++ended_;
      lived_[i] = lives;
    }
    if (own == replies) return {};
    return fmt::format("history {}: {} at {}: Redis says [{}], the machine [{}]", number_,
                       fmt::join(std::visit(Words{}, request), " "), first, fmt::join(replies, ", "),
                       fmt::join(own, ", "));
  }

  std::vector<std::string> replies_of(const std::vector<Request>& all, std::int64_t at_ms) {
    std::vector<std::string> replies;
    std::vector<Notification> heard;
    for (const Request& each : all)
      replies.push_back(std::visit(
          Said{}, *message_as<Reply>(machine_.apply(each, StoreTime::from_ns(at_ms * kMilliNs), heard))));
    return replies;
  }

  void begin_anew(Client& client) {
    client.send({"DEL", key(0), key(1)});
    client.receive();
    machine_ = RedisStore{};
    lived_[0] = lived_[1] = false;
  }

  // The server has the same clock, and then most of a millisecond.
  static void wait_for_next_millisecond() {
    const auto in_ms = [] {
      return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    };
    for (const auto now = in_ms(); in_ms() == now;) std::this_thread::yield();
  }
  // Seconds, and microseconds in the second.
  static std::int64_t time_of(const std::vector<std::string>& said) {
    return std::stoll(said.at(0).substr(1)) * 1'000 + std::stoll(said.at(1).substr(1)) / 1'000;
  }

  const unsigned number_;
  std::mt19937 dice_;
  RedisStore machine_;
  bool lived_[2] = {};
  int ended_ = 0;
  int compared_ = 0;
};

constexpr unsigned kHistories = 12;

// All at the same time, each on a connection of its own. Returns what went wrong.
template <class Do>
std::vector<std::string> in_parallel(std::deque<History>& histories, const char* server, Do&& each) {
  std::vector<std::string> problems(histories.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < histories.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        Client client(server);
        problems[i] = each(histories[i], client);
      } catch (const std::exception& error) {
        problems[i] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::erase(problems, "");
  return problems;
}

const std::vector<std::string> kNoProblems;
constexpr const char* kPrimary = "REDIS_SOCKET";
constexpr const char* kReplica = "REDIS_REPLICA_SOCKET";

std::string answer_to(const char* server, const std::vector<std::string>& words) {
  Client client(server);
  client.send(words);
  return client.receive().at(0);
}

TEST(BesideRedis, drawn_histories_get_the_same_replies_before_and_after_a_failover) {
  std::deque<History> histories;
  for (unsigned i = 0; i < kHistories; ++i) histories.emplace_back(i);
  const auto go_on = [](History& history, Client& client) { return history.run(client, 150); };
  int ended = 0;
  int compared = 0;
  // Only what Redis answers within one millisecond is compared. On a busy machine that is little at a time.
  for (int round = 0; round < 20 && (compared <= 300 || ended <= 100); ++round) {
    EXPECT_EQ(in_parallel(histories, kPrimary, go_on), kNoProblems);
    ended = compared = 0;
    for (const History& history : histories) {
      ended += history.ended();
      compared += history.compared();
    }
  }
  EXPECT_GT(compared, 300);
  EXPECT_GT(ended, 100) << "most of them by their time";

  // WAIT counts what its own connection wrote: a write, then, after all the others.
  Client last(kPrimary);
  last.send({"SET", "last", "x"});
  last.receive();
  last.send({"WAIT", "1", "20000"});
  ASSERT_EQ(last.receive().at(0), ":1") << "the replica has everything";
  ASSERT_EQ(answer_to(kReplica, {"REPLICAOF", "NO", "ONE"}), "+OK");
  const auto lose = [](History& history, Client& client) { return history.lose(client, 20), std::string{}; };
  EXPECT_EQ(in_parallel(histories, kPrimary, lose), kNoProblems);
  EXPECT_EQ(in_parallel(histories, kReplica, go_on), kNoProblems);
}

}  // namespace
}  // namespace tenure::redis
