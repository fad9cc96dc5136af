// The machine beside a real redis-server (with_redis.sh): drawn histories are applied to both, and every reply must be
// the same. Real time passes between two requests, a few milliseconds at a time, and so keys end on both.
//
// The server reads its clock for each command, somewhere between two requests that ask for it. The machine takes each
// millisecond between them; those that give the server's answers stay, as so many possible states. When none is left,
// the two differ.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/store/redis/redis_store.h"

namespace tenure::redis {
namespace {

constexpr std::int64_t kMilliNs = 1'000'000;

// A connection, in Redis' own protocol (RESP2).
class Client {
 public:
  Client() {
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const char* const path = std::getenv("REDIS_SOCKET");
    if (path == nullptr) throw std::runtime_error("REDIS_SOCKET is not set: run it by with_redis.sh");
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

  // Empty: the two agreed in everything.
  std::string run(int requests) {
    for (int i = 0; i < requests; ++i) {
      if (roll(3) > 0) std::this_thread::sleep_for(std::chrono::microseconds(roll(15'000)));
      const Request request = some_request();
      if (std::string difference = apply(request); !difference.empty()) return difference;
    }
    return {};
  }
  int ended() const { return ended_; }  // keys that ended by time

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
  std::string apply(const Request& request) {
    std::vector<Request> all = {request};
    for (const int i : {0, 1}) {
      all.push_back(Get{key(i)});
      all.push_back(Pttl{key(i)});
    }
    client_.send({"TIME"});
    client_.send({"MULTI"});
    for (const Request& each : all) client_.send(std::visit(Words{}, each));
    client_.send({"EXEC"});
    client_.send({"TIME"});
    const std::int64_t first = time_of(client_.receive());
    for (std::size_t i = 0; i <= all.size(); ++i) client_.receive();  // OK, and QUEUED for each
    const std::vector<std::string> replies = client_.receive();
    const std::int64_t last = time_of(client_.receive());

    const std::vector<RedisStore> before = std::exchange(states_, {});
    for (const RedisStore& state : before) follow(state, all, replies, 0, first, last);
    for (const std::size_t i : {0U, 1U}) {
      const bool lives = replies.at(2 + 2 * i) != ":-2";
      if (lived_[i] && !lives) ++ended_;
      lived_[i] = lives;
    }
    if (!states_.empty()) return {};
    return fmt::format("history {}: {} at {}..{}: Redis says [{}], and the machine does not", number_,
                       fmt::join(std::visit(Words{}, request), " "), first, last, fmt::join(replies, ", "));
  }

  // The states that `from` can come to, with the same replies from `place` on.
  void follow(const RedisStore& from, const std::vector<Request>& all,
              const std::vector<std::string>& replies, std::size_t place, std::int64_t first,
              std::int64_t last) {
    if (place == all.size()) {
      const auto is_same = [&from, last](const RedisStore& other) {
        return hash_of(other, last) == hash_of(from, last);
      };
      if (std::none_of(states_.begin(), states_.end(), is_same)) states_.push_back(from);
      return;
    }
    std::vector<Notification> heard;
    for (std::int64_t at = first; at <= last; ++at) {
      RedisStore next = from;
      const auto reply = std::get<Reply>(next.apply(all[place], StoreTime::from_ns(at * kMilliNs), heard));
      if (std::visit(Said{}, reply) == replies[place]) follow(next, all, replies, place + 1, at, last);
    }
  }
  static std::uint64_t hash_of(const RedisStore& state, std::int64_t at_ms) {
    Hasher hasher;
    state.hash(hasher, StoreTime::from_ns(at_ms * kMilliNs));
    return hasher.value();
  }

  // Seconds, and microseconds in the second.
  static std::int64_t time_of(const std::vector<std::string>& said) {
    return std::stoll(said.at(0).substr(1)) * 1'000 + std::stoll(said.at(1).substr(1)) / 1'000;
  }

  const unsigned number_;
  std::mt19937 dice_;
  Client client_;
  std::vector<RedisStore> states_ = std::vector<RedisStore>(1);
  bool lived_[2] = {};
  int ended_ = 0;
};

TEST(BesideRedis, drawn_histories_get_the_same_replies) {
  constexpr unsigned kHistories = 24;
  constexpr int kRequests = 200;
  std::vector<std::string> differences(kHistories);
  std::vector<int> ended(kHistories);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kHistories; ++i)
    threads.emplace_back([&, i] {
      try {
        History history(i);
        differences[i] = history.run(kRequests);
        ended[i] = history.ended();
      } catch (const std::exception& error) {
        differences[i] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  int all = 0;
  for (unsigned i = 0; i < kHistories; ++i) {
    EXPECT_EQ(differences[i], "");
    all += ended[i];
  }
  EXPECT_GT(all, 200) << "keys that were gone again, most of them by their time";
}

}  // namespace
}  // namespace tenure::redis
