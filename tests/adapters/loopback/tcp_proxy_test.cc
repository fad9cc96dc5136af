// What each rule of a proxy does to real connections. Bounds in time are those that a busy machine keeps too: something
// takes at least so long, or does not come within a while.
#include "adapters/loopback/tcp_proxy.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/adapters/loopback/ends.h"
#include "tests/support/temporary.h"

namespace tenure::loopback {
namespace {

using std::chrono::steady_clock;

constexpr int kAWhileMs = 200;
constexpr std::size_t kMegabyte = 1 << 20;

std::int64_t milliseconds_since(steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start).count();
}

// What this process computes in so many microseconds, in which the test sleeps.
Duration work_in(useconds_t microseconds) {
  const auto so_far = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return Duration::seconds(time.tv_sec) + Duration::nanos(time.tv_nsec);
  };
  const Duration before = so_far();
  usleep(microseconds);
  return so_far() - before;
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

template <class Done>
bool soon(const Done& done) {
  for (int i = 0; i < 6'000; ++i) {
    if (done()) return true;  // and not asked again: it need not stay so
    usleep(10'000);
  }
  return false;
}

// A connection through a proxy, by both of its ends.
struct Through {
  explicit Through(TcpProxy& proxy, Server& server) : client(End::to(proxy.port())), peer(server.accept()) {}
  End client;
  End peer;
};

class TcpProxyTest : public ::testing::Test {
 protected:
  Server server_;
  TcpProxy proxy_{server_.address(), 7};
};

TEST_F(TcpProxyTest, passes_bytes_and_half_closed_ends_both_ways) {
  Through through(proxy_, server_);
  EXPECT_TRUE(through.client.say("question"));
  through.client.say_no_more();
  EXPECT_EQ(through.peer.hear(8), "question");
  EXPECT_EQ(through.peer.hear_the_end(), "end");
  EXPECT_TRUE(through.peer.say("answer"));
  EXPECT_EQ(through.client.hear(6), "answer");
  EXPECT_EQ(proxy_.counts().open, 1U);
  through.peer.hang_up();
  EXPECT_EQ(through.client.hear_the_end(), "end");
  EXPECT_TRUE(soon([&] { return proxy_.counts().open == 0; }));
  EXPECT_EQ(proxy_.counts().passed_to_server, 8U);
  EXPECT_EQ(proxy_.counts().passed_to_client, 6U);
}

TEST_F(TcpProxyTest, reaches_a_server_on_a_unix_socket_however_many_wait_for_it) {
  const testing::TemporaryFolder folder;
  Server other(folder.path() + "/socket");
  proxy_.set_server(other.address());
  std::vector<End> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(End::to(proxy_.port()));
  for (End& client : clients) EXPECT_TRUE(client.say("x"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(other.accept().hear(1), "x");
}

TEST_F(TcpProxyTest, swallows_requests_and_leaves_no_hole_in_a_stream) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_server, {.swallow = true});
  EXPECT_TRUE(through.client.say("lost"));
  EXPECT_TRUE(soon([&] { return proxy_.counts().swallowed_to_server == 4; }));
  EXPECT_TRUE(through.peer.say("still here"));
  EXPECT_EQ(through.client.hear(10), "still here");
  proxy_.set(Direction::to_server, {});
  EXPECT_TRUE(through.client.say("later"));
  EXPECT_FALSE(through.peer.hears_within(kAWhileMs));
  EXPECT_EQ(proxy_.counts().swallowed_to_server, 9U);
  Through next(proxy_, server_);
  EXPECT_TRUE(next.client.say("fresh"));
  EXPECT_EQ(next.peer.hear(5), "fresh");
}

TEST_F(TcpProxyTest, swallows_answers_to_requests_that_arrive) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_client, {.swallow = true});
  EXPECT_TRUE(through.client.say("request"));
  EXPECT_EQ(through.peer.hear(7), "request");
  EXPECT_TRUE(through.peer.say("answer"));
  EXPECT_FALSE(through.client.hears_within(kAWhileMs));
  EXPECT_EQ(proxy_.counts().swallowed_to_client, 6U);
}

TEST_F(TcpProxyTest, a_connection_that_was_silent_while_bytes_were_swallowed_lives_on) {
  Through through(proxy_, server_);
  proxy_.set_both({.swallow = true});
  proxy_.set_both({});
  EXPECT_TRUE(through.client.say("x"));
  EXPECT_EQ(through.peer.hear(1), "x");
}

// Bytes that wait for their time belong to the rule that is in force when it comes.
TEST_F(TcpProxyTest, swallows_what_was_delayed) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_server, {.delay = Duration::seconds(100)});
  EXPECT_TRUE(through.client.say("slow"));
  through.client.say_no_more();
  EXPECT_FALSE(through.peer.hears_within(kAWhileMs));
  proxy_.set(Direction::to_server, {.swallow = true});
  EXPECT_EQ(proxy_.counts().swallowed_to_server, 4U);
  proxy_.set(Direction::to_server, {});
  EXPECT_EQ(through.peer.hear_the_end(), "end");
}

TEST_F(TcpProxyTest, hides_an_end_while_a_direction_swallows_or_hangs) {
  for (const DirectionRule& rule : {DirectionRule{.swallow = true}, DirectionRule{.hang = true}}) {
    for (const bool resets : {false, true}) {
      proxy_.set(Direction::to_server, {});
      Through through(proxy_, server_);
      proxy_.set(Direction::to_server, rule);
      const linger at_once{.l_onoff = 1, .l_linger = 0};
      if (resets) setsockopt(through.client.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      through.client.hang_up();
      EXPECT_FALSE(through.peer.hears_within(kAWhileMs));
      EXPECT_EQ(proxy_.counts().open, 1U);
      proxy_.set(Direction::to_server, {});
      EXPECT_EQ(through.peer.hear_the_end(), resets ? "reset" : "end");
      through.peer.hang_up();
      EXPECT_TRUE(soon([&] { return proxy_.counts().open == 0; }));
    }
  }
}

TEST_F(TcpProxyTest, delays_one_direction_and_not_the_other) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_client, {.delay = Duration::millis(400)});
  const auto start = steady_clock::now();
  EXPECT_TRUE(through.client.say("x"));
  EXPECT_EQ(through.peer.hear(1), "x");
  const auto arrived = milliseconds_since(start);
  EXPECT_TRUE(through.peer.say("y"));
  EXPECT_EQ(through.client.hear(1), "y");
  EXPECT_GE(milliseconds_since(start) - arrived, 399);
  EXPECT_EQ(proxy_.rule(Direction::to_client).delay, Duration::millis(400));
}

TEST_F(TcpProxyTest, keeps_the_order_of_what_it_delays_by_chance) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_server, {.delay = Duration::millis(1), .jitter = Duration::millis(20)});
  std::string said;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    said += letter;
    EXPECT_TRUE(through.client.say(std::string(1, letter)));
    usleep(1'000);
  }
  EXPECT_EQ(through.peer.hear(said.size()), said);
}

TEST_F(TcpProxyTest, passes_on_what_was_delayed_when_the_delay_is_over) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_server, {.delay = Duration::seconds(1'000)});
  EXPECT_TRUE(through.client.say("x"));
  EXPECT_FALSE(through.peer.hears_within(kAWhileMs));
  proxy_.set(Direction::to_server, {});
  EXPECT_EQ(through.peer.hear(1), "x");
}

TEST_F(TcpProxyTest, passes_on_no_more_bytes_a_second_than_it_may) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_server, {.bytes_per_second = 100'000});
  const auto start = steady_clock::now();
  EXPECT_TRUE(through.client.say(std::string(50'000, 'x')));
  EXPECT_EQ(through.peer.hear(1), "x");
  EXPECT_LT(milliseconds_since(start), 450);  // not all at its end
  EXPECT_EQ(through.peer.hear(49'999).size(), 49'999U);
  EXPECT_GE(milliseconds_since(start), 499);
}

TEST_F(TcpProxyTest, cuts_at_a_message_which_is_lost) {
  Through through(proxy_, server_);
  Through idle(proxy_, server_);
  proxy_.set(Direction::to_client, {.cut_ppm = 1'000'000});
  EXPECT_TRUE(through.client.say("request"));
  EXPECT_EQ(through.peer.hear(7), "request");
  EXPECT_TRUE(through.peer.say("answer"));
  EXPECT_EQ(through.client.hear_the_end(), "reset");
  EXPECT_EQ(through.peer.hear_the_end(), "reset");
  EXPECT_EQ(proxy_.counts().cut, 1U);
  EXPECT_TRUE(idle.client.say("x"));
  EXPECT_EQ(idle.peer.hear(1), "x");
}

TEST_F(TcpProxyTest, cuts_within_a_message) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_client, {.cut_ppm = 1'000'000, .cut_tail = 6});
  EXPECT_TRUE(through.peer.say("answer ready"));
  EXPECT_EQ(through.client.hear(6), "answer");
  EXPECT_EQ(through.client.hear_the_end(), "reset");
}

TEST_F(TcpProxyTest, cuts_as_often_as_it_is_told_and_the_same_connections_for_a_seed) {
  const auto survivors = [this](std::uint64_t seed) {
    TcpProxy proxy(server_.address(), seed);
    proxy.set(Direction::to_server, {.cut_ppm = 300'000});
    std::string which;
    for (int i = 0; i < 200; ++i) {
      Through through(proxy, server_);
      EXPECT_TRUE(through.client.say("x"));
      which += through.peer.hear(1) == "x" ? 'x' : '.';
    }
    return which;
  };
  const std::string of_one = survivors(1);
  EXPECT_EQ(survivors(1), of_one);
  EXPECT_NE(survivors(2), of_one);
  const auto cut = std::ranges::count(of_one, '.');
  EXPECT_GT(cut, 30);  // five deviations from 60
  EXPECT_LT(cut, 95);
}

TEST_F(TcpProxyTest, hangs_so_that_a_writer_has_to_wait_and_loses_nothing) {
  Through through(proxy_, server_);
  proxy_.set(Direction::to_server, {.hang = true});
  const std::size_t taken = through.client.stuff(100 * kMegabyte);
  EXPECT_LT(taken, 100 * kMegabyte);
  EXPECT_FALSE(through.peer.hears_within(kAWhileMs));
  proxy_.set(Direction::to_server, {});
  EXPECT_EQ(through.peer.hear(taken).size(), taken);
}

TEST_F(TcpProxyTest, a_slow_reader_stops_its_writer_and_gets_everything) {
  Through through(proxy_, server_);
  const std::size_t taken = through.peer.stuff(200 * kMegabyte);
  EXPECT_LT(taken, 200 * kMegabyte);
  EXPECT_EQ(through.client.hear(taken).size(), taken);
}

TEST_F(TcpProxyTest, refuses_new_connections_and_keeps_its_port) {
  Through through(proxy_, server_);
  proxy_.refuse(true);
  EXPECT_EQ(End::to(proxy_.port()).error(), ECONNREFUSED);
  EXPECT_TRUE(through.client.say("x"));
  EXPECT_EQ(through.peer.hear(1), "x");
  proxy_.refuse(false);
  Through next(proxy_, server_);
  EXPECT_TRUE(next.client.say("y"));
  EXPECT_EQ(next.peer.hear(1), "y");
}

TEST_F(TcpProxyTest, cuts_all) {
  Through first(proxy_, server_);
  Through second(proxy_, server_);
  proxy_.cut_all();
  for (End* end : {&first.client, &first.peer, &second.client, &second.peer})
    EXPECT_EQ(end->hear_the_end(), "reset");
  EXPECT_EQ(proxy_.counts().cut, 2U);
  EXPECT_EQ(proxy_.counts().open, 0U);
}

TEST_F(TcpProxyTest, sends_new_connections_to_another_server) {
  Through before(proxy_, server_);
  Server other;
  proxy_.set_server(other.address());
  Through after(proxy_, other);
  EXPECT_TRUE(before.client.say("old"));
  EXPECT_EQ(before.peer.hear(3), "old");
  EXPECT_TRUE(after.client.say("new"));
  EXPECT_EQ(after.peer.hear(3), "new");
}

TEST_F(TcpProxyTest, ends_connections_when_no_server_is_there) {
  const std::uint16_t nobody = ReservedPort().number();
  proxy_.set_server({.port = nobody});
  EXPECT_EQ(End::to(proxy_.port()).hear_the_end(), "reset");
  proxy_.set_server({.socket_path = "/nobody/is/here"});
  EXPECT_EQ(End::to(proxy_.port()).hear_the_end(), "reset");
  EXPECT_EQ(proxy_.counts().unreachable, 2U);
  EXPECT_EQ(proxy_.counts().open, 0U);
}

TEST_F(TcpProxyTest, waits_without_work) {
  Through hung(proxy_, server_);
  Through half(proxy_, server_);
  Through late(proxy_, server_);
  Through full(proxy_, server_);
  half.peer.say_no_more();
  EXPECT_EQ(half.client.hear_the_end(), "end");
  full.peer.stuff(200 * kMegabyte);
  proxy_.set(Direction::to_server, {.delay = Duration::seconds(1'000)});
  EXPECT_TRUE(late.client.say("x"));
  proxy_.set(Direction::to_client, {.hang = true});
  EXPECT_TRUE(hung.peer.say("x"));
  hung.peer.hang_up();
  usleep(50'000);
  EXPECT_LT(work_in(1'000'000), Duration::millis(10));
}

// With one file left over they run out between a client and its server, and with none before a client.
TEST_F(TcpProxyTest, waits_without_work_for_files_that_have_run_out) {
  std::uint64_t connected = 0;
  for (const rlim_t left_over : {rlim_t{4}, rlim_t{5}}) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    std::vector<End> clients;
    for (int i = 0; i < 30; ++i)
      clients.push_back(End(Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))));
    const rlimit few{.rlim_cur = open_files() + left_over, .rlim_max = before.rlim_max};
    clients.clear();
    setrlimit(RLIMIT_NOFILE, &few);
    for (int i = 0; i < 30; ++i) clients.push_back(End::to(proxy_.port()));
    EXPECT_LT(work_in(1'000'000), Duration::millis(10));
    setrlimit(RLIMIT_NOFILE, &before);
    connected += static_cast<std::uint64_t>(std::ranges::count_if(clients, &End::is_open));
    clients.clear();
    EXPECT_TRUE(soon([&] {
      while (server_.has_client_within(0)) server_.accept();
      return proxy_.counts().accepted == connected && proxy_.counts().open == 0;
    }));
    while (server_.has_client_within(0)) server_.accept();
    ++connected;
    Through through(proxy_, server_);
    EXPECT_TRUE(through.client.say("x"));
    EXPECT_EQ(through.peer.hear(1), "x");
  }
}

TEST_F(TcpProxyTest, leaves_no_file_open_after_a_thousand_connections) {
  const std::size_t before = open_files();
  {
    std::vector<Through> all;
    for (int i = 0; i < 200; ++i) all.emplace_back(proxy_, server_);
    for (Through& each : all) EXPECT_TRUE(each.client.say("ping"));
    for (Through& each : all) EXPECT_TRUE(each.peer.hear(4) == "ping" && each.peer.say("pong"));
    for (Through& each : all) EXPECT_EQ(each.client.hear(4), "pong");
  }
  for (int i = 0; i < 800; ++i) {
    Through through(proxy_, server_);
    EXPECT_TRUE(through.client.say("x"));
  }
  EXPECT_TRUE(soon([&] { return proxy_.counts().open == 0; }));
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(proxy_.counts().accepted, 1'000U);
}

TEST_F(TcpProxyTest, obeys_any_thread_while_bytes_pass) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this] {
      for (int turn = 0; turn < 50; ++turn) {
        proxy_.set_both({.delay = Duration::micros(turn)});
        proxy_.refuse(turn % 2 == 0);
        End client = End::to(proxy_.port());
        if (client.is_open()) client.say("x");
        if (turn % 10 == 0) proxy_.cut_all();
        proxy_.counts();
      }
    });
  for (std::thread& thread : threads) thread.join();
  proxy_.refuse(false);
  // Some clients may still wait for the proxy to take them to the server.
  EXPECT_TRUE(soon([&] {
    while (server_.has_client_within(0)) server_.accept();
    return proxy_.counts().open == 0;
  }));
}

}  // namespace
}  // namespace tenure::loopback
