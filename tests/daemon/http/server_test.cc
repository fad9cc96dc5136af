#include "daemon/http/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/daemon/http/client.h"

namespace tenure::daemon {
namespace {

// What happens on the server's threads, in order.
class Happened {
 public:
  void add(std::string what) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(what));
    more_.notify_all();
  }
  // As soon as there are so many; all there are, if that takes very long.
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    more_.wait_for(lock, std::chrono::seconds(20), [&] { return all_.size() >= count; });
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<std::string> all_;
};

std::unique_ptr<HttpServer> open(HttpOptions options, HttpHandler handler) {
  HttpServer::Opened opened = HttpServer::open(std::move(options), std::move(handler));
  return std::get<std::unique_ptr<HttpServer>>(std::move(opened));
}

HttpOptions counting(Happened& happened) {
  HttpOptions options;
  options.answered = [&happened](const HttpAnswered& answer) {
    happened.add(fmt::format("{}|{}|{}", answer.route, answer.method, answer.status));
  };
  return options;
}

std::string get(std::string_view path) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
}

TEST(HttpServer, tells_of_each_answer_also_of_its_own) {
  Happened happened;
  HttpOptions options = counting(happened);
  options.body_bytes = 100;
  const auto server = open(options, [](const HttpRequest& request, const HttpRespond& respond) {
    respond({.status = 404, .fields = {}, .body = {}, .route = request.path});
  });
  HttpTestClient(server->port()).ask(get("/a"));
  HttpTestClient(server->port()).ask("PUT /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 101\r\n\r\n");
  HttpTestClient(server->port()).ask(get("/" + std::string(20'000, 'x')));
  HttpTestClient(server->port()).ask("no HTTP\r\n\r\n");
  EXPECT_EQ(happened.wait_for(4), (std::vector<std::string>{"/a|GET|404", "||413", "||431", "||400"}));
}

TEST(HttpServer, tells_of_answers_that_took_too_long_and_of_clients_that_are_too_many) {
  Happened happened;
  HttpOptions options = counting(happened);
  options.answer_time = Duration::seconds(3);
  options.connections = 1;
  std::vector<HttpRespond> asked;
  const auto server = open(options, [&](const HttpRequest&, const HttpRespond& respond) {
    asked.push_back(respond);
    happened.add("asked");
  });
  HttpTestClient slow(server->port());
  slow.send(get("/slow"));
  happened.wait_for(1);
  HttpTestClient(server->port()).ask(get("/more"));
  EXPECT_NE(slow.read_all().find(" 503 "), std::string::npos);
  const std::vector<std::string> all = happened.wait_for(3);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(std::multiset<std::string>(all.begin() + 1, all.end()),
            (std::multiset<std::string>{"|GET|503", "||503"}));
  asked.front()({.status = 200, .fields = {}, .body = {}, .route = "/slow"});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  asked.clear();
  EXPECT_EQ(happened.wait_for(3).size(), 3u) << "one request, one answer";
}

TEST(HttpServer, bounds_large_answers_that_clients_do_not_read) {
  Happened happened;
  HttpOptions options = counting(happened);
  options.answer_bytes = 50'000'000;
  const auto server = open(options, [&](const HttpRequest& request, const HttpRespond& respond) {
    const std::size_t size =
        request.path == "/small" ? 200'000 : 20'000'000;  // more than the system takes by itself
    respond({.fields = {},
             .body = std::string(size, 'x'),
             .route = request.path,
             .not_taken = [&, path = request.path] { happened.add("not taken: " + path); }});
  });
  HttpTestClient one(server->port());
  HttpTestClient two(server->port());
  one.send(get("/1"));
  two.send(get("/2"));
  EXPECT_EQ(happened.wait_for(2).size(), 2u);
  EXPECT_NE(HttpTestClient(server->port()).ask(get("/3")).find(" 503 "), std::string::npos);
  EXPECT_NE(HttpTestClient(server->port()).ask(get("/small")).find(" 200 "), std::string::npos);
  const std::vector<std::string> all = happened.wait_for(5);
  EXPECT_EQ(std::vector<std::string>(all.begin() + 2, all.end()),
            (std::vector<std::string>{"not taken: /3", "/3|GET|503", "/small|GET|200"}));
  EXPECT_GT(one.read_all().size(), 20'000'000u) << "what was taken gives its room back";
  EXPECT_GT(HttpTestClient(server->port()).ask(get("/4")).size(), 20'000'000u);
}

TEST(HttpServer, tells_the_handler_that_nobody_waits_and_says_what_was_not_taken) {
  Happened happened;
  std::atomic<bool> go_on = false;
  HttpOptions options;
  options.threads = 4;
  options.answer_time = Duration::seconds(5);
  std::vector<std::thread> answering;
  std::mutex mutex;
  const auto server = open(options, [&](const HttpRequest& request, HttpRespond respond) {
    const std::lock_guard lock(mutex);
    answering.emplace_back([&, request, respond = std::move(respond)]() mutable {
      const bool patient = request.path == "/kept" || request.path == "/half";
      while (!go_on || (!patient && !request.is_given_up()))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      HttpResponse response{.fields = {}, .body = "done"};
      if (request.path != "/half")
        response.not_taken = [&happened, path = request.path] { happened.add("not taken: " + path); };
      respond(std::move(response));
    });
    happened.add(request.path);
  });
  HttpTestClient kept(server->port());
  kept.send(get("/kept"));
  happened.wait_for(1);
  HttpTestClient half(server->port());
  half.send(get("/half"));
  half.end();
  happened.wait_for(2);
  {
    HttpTestClient gone(server->port());
    gone.send(get("/gone"));
    happened.wait_for(3);
  }
  go_on = true;
  EXPECT_NE(kept.read_all().find("done"), std::string::npos);
  EXPECT_NE(half.read_all().find("done"), std::string::npos)
      << "nothing depends on whether it has the answer";
  EXPECT_EQ(happened.wait_for(4).back(), "not taken: /gone");
  EXPECT_NE(HttpTestClient(server->port()).ask(get("/late")).find(" 503 "), std::string::npos);
  EXPECT_EQ(happened.wait_for(6).back(), "not taken: /late");
  for (std::thread& thread : answering) thread.join();
  answering.clear();
}

}  // namespace
}  // namespace tenure::daemon
