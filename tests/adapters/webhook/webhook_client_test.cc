// Real requests to a real server of another language (sink.py).
#include "adapters/webhook/webhook_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/adapters/webhook/sink.h"

namespace tenure::webhook {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Sink;
using Kind = WebhookResult::Kind;
using Seconds = std::chrono::duration<double>;

constexpr std::string_view kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view kNextSecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

WebhookDestination destination(const std::string& name, const std::string& url) {
  WebhookDestination made;
  made.name = name;
  made.url = url;
  made.keys = {std::get<SigningKey>(read_signing_key(kSecret))};
  made.allow = {*read_ip_network("127.0.0.0/8")};
  made.total_timeout = Duration::seconds(10);
  return made;
}

WebhookDelivery delivery(const std::string& to, std::uint32_t attempt = 1) {
  WebhookDelivery made;
  made.destination = to;
  made.event_id = "2ed6657d-e927-568b-95e1-2665a8aea6a2";
  made.source = "/tenure/orders";
  made.schedule = "nightly-report";
  made.data = R"({"format":"pdf"})";
  made.attempt = attempt;
  made.sequence = attempt;
  return made;
}

// The answers, in the order in which they came.
class Answers {
 public:
  WebhookClient::Done as(const std::string& name) {
    return [this, name](const WebhookResult& result) {
      const std::lock_guard lock(mutex_);
      all_.emplace_back(name, result);
      came_.notify_all();
    };
  }
  std::vector<std::pair<std::string, WebhookResult>> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::seconds(30), [&] { return all_.size() >= count; });
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::pair<std::string, WebhookResult>> all_;
};

WebhookResult deliver_one(WebhookClient& client, const WebhookDelivery& what) {
  Answers answers;
  client.deliver(what, answers.as(""));
  const auto all = answers.wait_for(1);
  return all.size() == 1 ? all.front().second : WebhookResult{};
}

WebhookResult deliver_to(const WebhookDestination& where) {
  WebhookClient client({where});
  return deliver_one(client, delivery(where.name));
}

// One server for all tests, each of which has a path of its own there.
class WebhookRequests : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sink_ = std::make_unique<Sink>(
        std::vector<std::string>{"--secret", std::string(kSecret), "--secret", std::string(kNextSecret)});
  }
  static void TearDownTestSuite() { sink_.reset(); }

  static std::string path(const std::string& behaviour) {
    return fmt::format("/{}{}", ::testing::UnitTest::GetInstance()->current_test_info()->name(), behaviour);
  }
  static std::string url(const std::string& behaviour) { return sink_->url(path(behaviour)); }
  static std::vector<json> requests() {
    std::vector<json> all = sink_->requests();
    std::erase_if(all,
                  [](const json& each) { return !each["path"].get<std::string>().starts_with(path("/")); });
    return all;
  }
  static void wait_for_records(std::size_t count) {
    const auto bound = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (requests().size() < count && std::chrono::steady_clock::now() < bound)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  static std::unique_ptr<Sink> sink_;
};
std::unique_ptr<Sink> WebhookRequests::sink_;

TEST_F(WebhookRequests, delivers_an_event_that_the_receiver_can_verify) {
  const WebhookResult result = deliver_to(destination("crm", url("/ok")));
  EXPECT_EQ(result.kind, Kind::delivered) << result.reason;
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.response, "ok");
  const std::vector<json> came = requests();
  ASSERT_EQ(came.size(), 1u);
  const json& headers = came[0]["headers"];
  EXPECT_EQ(came[0]["method"], "POST");
  EXPECT_EQ(headers["content-type"], "application/cloudevents+json; charset=utf-8");
  EXPECT_EQ(headers["webhook-id"], "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  const std::int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  EXPECT_NEAR(static_cast<double>(std::stoll(headers["webhook-timestamp"].get<std::string>())),
              static_cast<double>(now), 60.0);
  EXPECT_EQ(came[0]["signers"], json::array({0})) << "by Python's hmac";
  const json event = json::parse(came[0]["body"].get<std::string>());
  EXPECT_EQ(event["id"], headers["webhook-id"]);
  EXPECT_EQ(event["data"]["format"], "pdf");
}

TEST_F(WebhookRequests, signs_with_both_keys_while_they_are_changed_and_with_none_if_there_is_none) {
  WebhookDestination where = destination("crm", url("/ok"));
  where.keys.push_back(std::get<SigningKey>(read_signing_key(kNextSecret)));
  deliver_to(where);
  where.keys.erase(where.keys.begin());
  deliver_to(where);
  where.keys.clear();
  deliver_to(where);
  const std::vector<json> came = requests();
  ASSERT_EQ(came.size(), 3u);
  EXPECT_EQ(came[0]["signers"], json::array({0, 1}));
  EXPECT_EQ(came[1]["signers"], json::array({1}));
  EXPECT_FALSE(came[2]["headers"].contains("webhook-signature"));
}

TEST_F(WebhookRequests, says_what_each_answer_means) {
  const auto answered = [](const std::string& behaviour) {
    return deliver_to(destination("crm", url(behaviour)));
  };
  const WebhookResult gone = answered("/status/410");
  EXPECT_EQ(gone.kind, Kind::gone);
  EXPECT_EQ(gone.reason, "the destination answered 410");
  EXPECT_EQ(answered("/status/204").kind, Kind::delivered);
  const WebhookResult busy = answered("/status/429?retry-after=7");
  EXPECT_EQ(busy.kind, Kind::failed);
  EXPECT_EQ(busy.retry_after, Duration::seconds(7));
  EXPECT_EQ(busy.response.size(), kResponseBytes) << "of 5,000";
  EXPECT_EQ(answered("/status/503?retry-after=9999999").retry_after, Duration::hours(24));
  EXPECT_EQ(answered("/status/503").retry_after, std::nullopt);
  const WebhookResult wrong = answered("/status/400?retry-after=7");
  EXPECT_EQ(wrong.kind, Kind::failed);
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.retry_after, std::nullopt);
}

TEST_F(WebhookRequests, follows_no_redirect) {
  const WebhookResult result = deliver_to(destination("crm", url("/redirect")));
  EXPECT_EQ(result.kind, Kind::failed);
  EXPECT_EQ(result.reason, "the destination answered 302, and redirects are not followed");
  EXPECT_EQ(requests().size(), 1u);
}

TEST_F(WebhookRequests, knows_no_proxy_of_the_environment) {
  const Sink proxy;
  setenv("http_proxy", proxy.url("").c_str(), 1);
  setenv("ALL_PROXY", proxy.url("").c_str(), 1);
  const WebhookResult result = deliver_to(destination("crm", url("/ok")));
  unsetenv("http_proxy");
  unsetenv("ALL_PROXY");
  EXPECT_EQ(result.kind, Kind::delivered) << result.reason;
  EXPECT_EQ(proxy.requests().size(), 0u);
}

TEST_F(WebhookRequests, refuses_addresses_that_a_name_leads_to) {
  WebhookDestination where =
      destination("crm", fmt::format("http://localhost:{}{}", sink_->port(), path("/ok")));
  where.allow.clear();
  const WebhookResult result = deliver_to(where);
  EXPECT_EQ(result.kind, Kind::failed);
  EXPECT_THAT(result.reason,
              ::testing::MatchesRegex("refused to connect: (127.0.0.1|::1) is a loopback address"));
  EXPECT_EQ(requests().size(), 0u);
}

TEST_F(WebhookRequests, uses_no_connection_that_another_destination_was_allowed) {
  WebhookDestination stranger = destination("stranger", url("/ok"));
  stranger.allow.clear();
  WebhookClient client({destination("insider", url("/ok")), stranger});
  EXPECT_EQ(deliver_one(client, delivery("insider")).kind, Kind::delivered);
  const WebhookResult result = deliver_one(client, delivery("stranger"));
  EXPECT_EQ(result.kind, Kind::failed);
  EXPECT_EQ(result.reason, "refused to connect: 127.0.0.1 is a loopback address");
  EXPECT_EQ(requests().size(), 1u);
}

TEST_F(WebhookRequests, keeps_connections_and_still_sends_each_attempt_once) {
  WebhookClient client({destination("crm", url("/second-closes"))});
  EXPECT_EQ(deliver_one(client, delivery("crm", 1)).kind, Kind::delivered);
  const WebhookResult closed = deliver_one(client, delivery("crm", 2));
  EXPECT_EQ(closed.kind, Kind::failed);
  EXPECT_EQ(closed.reason, "the connection was closed before an answer came");
  const std::vector<json> came = requests();
  ASSERT_EQ(came.size(), 2u) << "libcurl by itself would send the second once more";
  EXPECT_EQ(came[0]["connection"], came[1]["connection"]);
}

TEST_F(WebhookRequests, judges_by_the_headers_of_the_final_answer) {
  WebhookDestination where = destination("crm", "");
  where.total_timeout = Duration::seconds(2);
  where.connect_timeout = Duration::seconds(2);
  const auto answered = [&](const std::string& behaviour) {
    where.url = url(behaviour);
    return deliver_to(where);
  };
  EXPECT_EQ(answered("/half").kind, Kind::delivered) << "the body says nothing more";
  const WebhookResult half = answered("/half-headers");
  EXPECT_EQ(half.kind, Kind::failed);
  EXPECT_EQ(half.reason, "no answer within 2s");
  EXPECT_EQ(answered("/early").kind, Kind::failed) << "103 is no answer";
  const WebhookResult reset = answered("/reset");
  EXPECT_EQ(reset.kind, Kind::failed);
  EXPECT_EQ(reset.status, 0);
  EXPECT_NE(reset.reason, "");
}

TEST_F(WebhookRequests, reads_no_more_of_an_answer_than_it_needs) {
  const WebhookResult huge = deliver_to(destination("crm", url("/huge")));
  EXPECT_EQ(huge.kind, Kind::delivered) << huge.reason;
  EXPECT_EQ(huge.response.size(), kResponseBytes);
  wait_for_records(2);
  ASSERT_EQ(requests().size(), 2u);
  EXPECT_LT(requests().back()["taken"].get<std::int64_t>(), 32 << 20) << "what sockets hold, and no more";
  const WebhookResult headers = deliver_to(destination("crm", url("/headers")));
  EXPECT_EQ(headers.kind, Kind::failed);
  EXPECT_EQ(headers.reason, "the answer has more than 65536 bytes of headers");
}

TEST_F(WebhookRequests, no_destination_delays_another) {
  WebhookDestination stalled = destination("stalled", url("/stall"));
  stalled.in_flight = 2;
  stalled.total_timeout = Duration::minutes(5);
  Answers answers;
  WebhookDestination quick = destination("quick", url("/ok"));
  quick.in_flight = 1;
  WebhookClient client({stalled, quick});
  for (int i = 0; i < 20; ++i) client.deliver(delivery("stalled"), answers.as("stalled"));
  for (int i = 0; i < 5; ++i) client.deliver(delivery("quick"), answers.as("quick"));
  const auto all = answers.wait_for(5);
  ASSERT_GE(all.size(), 5u);
  for (const auto& [name, result] : all) EXPECT_EQ(name, "quick");
  const std::vector<json> came = requests();
  EXPECT_LE(std::count_if(came.begin(), came.end(),
                          [](const json& each) { return each["path"] == path("/stall"); }),
            2)
      << "as many at a time as it may have";
}

TEST_F(WebhookRequests, begins_in_order) {
  WebhookDestination where = destination("crm", url("/ok"));
  where.in_flight = 1;
  Answers answers;
  WebhookClient client({where});
  for (std::uint32_t i = 1; i <= 10; ++i) client.deliver(delivery("crm", i), answers.as(""));
  answers.wait_for(10);
  std::vector<int> order;
  for (const json& each : requests())
    order.push_back(json::parse(each["body"].get<std::string>())["attempt"].get<int>());
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

// Not with the next look at the clock, once a second.
TEST_F(WebhookRequests, begins_the_next_as_soon_as_one_has_ended) {
  WebhookDestination where = destination("crm", url("/ok"));
  where.in_flight = 1;
  Answers answers;
  WebhookClient client({where});
  const auto began = std::chrono::steady_clock::now();
  for (std::uint32_t i = 1; i <= 10; ++i) client.deliver(delivery("crm", i), answers.as(""));
  EXPECT_EQ(answers.wait_for(10).size(), 10u);
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - began).count(), 5.0);
}

TEST_F(WebhookRequests, sends_nothing_where_there_is_no_room_and_no_destination) {
  WebhookDestination where = destination("crm", url("/stall"));
  where.in_flight = 1;
  where.waiting = 1;
  Answers answers;
  {
    WebhookClient client({where});
    for (int i = 0; i < 3; ++i) client.deliver(delivery("crm"), answers.as("crm"));
    client.deliver(delivery("nobody"), answers.as("nobody"));
    WebhookDelivery broken = delivery("crm");
    broken.data = "{";
    client.deliver(broken, answers.as("broken"));
    answers.wait_for(3);
  }
  std::map<std::string, int> reasons;
  for (const auto& [name, result] : answers.wait_for(5))
    ++reasons[fmt::format("{} {} {}", name, static_cast<int>(result.kind), result.reason)];
  EXPECT_THAT(reasons, ElementsAre(std::pair("broken 1 its data is no JSON", 1),
                                   std::pair("crm 1 the program ended before an answer came", 1),
                                   std::pair("crm 3 1 deliveries wait for this destination", 1),
                                   std::pair("crm 3 the program is ending", 1),
                                   std::pair("nobody 3 there is no destination `nobody`", 1)));
}

TEST_F(WebhookRequests, ends_at_once_whatever_destinations_do) {
  Answers answers;
  const auto begun = std::chrono::steady_clock::now();
  {
    WebhookClient client({destination("crm", url("/stall"))});
    for (int i = 0; i < 30; ++i) client.deliver(delivery("crm"), answers.as(""));
  }
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - begun).count(), 10) << "and not when their time is up";
  EXPECT_EQ(answers.wait_for(30).size(), 30u) << "each is answered";
}

TEST_F(WebhookRequests, drains_what_is_in_flight_within_a_bound) {
  WebhookDestination slow = destination("slow", url("/slow?ms=2000"));
  slow.in_flight = 1;
  Answers answers;
  WebhookClient client({slow, destination("stalled", url("/stall"))});
  for (int i = 0; i < 3; ++i) client.deliver(delivery("slow"), answers.as("slow"));
  wait_for_records(1);
  EXPECT_TRUE(client.drain(Duration::seconds(10)));
  int delivered = 0;
  int not_sent = 0;
  for (const auto& [name, result] : answers.wait_for(3)) {
    delivered += result.kind == Kind::delivered ? 1 : 0;
    not_sent += result.kind == Kind::not_sent ? 1 : 0;
  }
  EXPECT_EQ(delivered, 1);
  EXPECT_EQ(not_sent, 2);
  client.deliver(delivery("slow"), answers.as("late"));
  EXPECT_EQ(answers.wait_for(4).back().second.kind, Kind::not_sent);
}

TEST_F(WebhookRequests, a_drain_is_over_when_its_bound_is) {
  Answers answers;
  WebhookClient client({destination("stalled", url("/stall"))});
  client.deliver(delivery("stalled"), answers.as(""));
  wait_for_records(1);
  EXPECT_FALSE(client.drain(Duration::millis(200)));
}

TEST_F(WebhookRequests, takes_other_destinations_while_it_runs) {
  const Sink other;
  WebhookClient client({destination("crm", url("/ok")), destination("old", url("/ok"))});
  EXPECT_EQ(deliver_one(client, delivery("crm")).kind, Kind::delivered);
  client.set_destinations({destination("crm", other.url(path("/ok")))});
  EXPECT_EQ(deliver_one(client, delivery("crm")).kind, Kind::delivered);
  EXPECT_EQ(requests().size(), 1u);
  EXPECT_EQ(other.requests().size(), 1u);
  EXPECT_EQ(deliver_one(client, delivery("old")).reason, "there is no destination `old`");
}

TEST_F(WebhookRequests, trusts_only_the_certificates_that_it_is_to_trust) {
  const tenure::testing::TemporaryFolder folder;
  const std::string certificate = folder.path() + "/certificate.pem";
  const std::string key = folder.path() + "/key.pem";
  ASSERT_EQ(
      std::system(
          fmt::format("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
                      "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout {} -out {} "
                      "2>/dev/null",
                      key, certificate)
              .c_str()),
      0);
  const Sink sink({"--tls", certificate, key});
  WebhookDestination where = destination("crm", fmt::format("https://localhost:{}/tls/ok", sink.port()));
  const WebhookResult stranger = deliver_to(where);
  EXPECT_EQ(stranger.kind, Kind::failed);
  EXPECT_THAT(stranger.reason, HasSubstr("certificate"));
  where.ca_file = certificate;
  EXPECT_EQ(deliver_to(where).kind, Kind::delivered);
  where.url = fmt::format("https://127.0.0.1:{}/tls/ok", sink.port());
  EXPECT_EQ(deliver_to(where).kind, Kind::failed) << "the certificate is of another name";
  EXPECT_EQ(sink.requests().size(), 1u);
}

TEST_F(WebhookRequests, says_when_nobody_is_there) {
  int port = 0;
  {
    const Sink sink;
    port = sink.port();
  }
  const WebhookResult result = deliver_to(destination("crm", fmt::format("http://127.0.0.1:{}/", port)));
  EXPECT_EQ(result.kind, Kind::failed);
  EXPECT_THAT(result.reason, HasSubstr("connect"));
}

// Run by slow_names.sh, where a look-up takes 20 s and more.
TEST(SlowNames, delay_neither_other_destinations_nor_the_end) {
  if (std::getenv("TENURE_NAMES_ARE_SLOW") == nullptr) GTEST_SKIP() << "slow_names.sh runs it";
  const Sink sink;
  WebhookDestination slow = destination("slow", "http://crm.example.com/");
  slow.connect_timeout = Duration::millis(300);
  WebhookDestination slower = destination("slower", "http://crm.example.com/");
  Answers answers;
  Answers quick;
  const auto begun = std::chrono::steady_clock::now();
  {
    WebhookClient client({slow, slower, destination("quick", sink.url("/t/ok"))});
    client.deliver(delivery("slower"), answers.as("slower"));  // under way at the end
    client.deliver(delivery("slow"), answers.as("slow"));
    answers.wait_for(1);
    client.deliver(delivery("quick"), quick.as("quick"));
    quick.wait_for(1);
  }
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - begun).count(), 15) << "no look-up was waited for";
  const auto all = answers.wait_for(2);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].second.reason, "no connection within 300ms");
  EXPECT_EQ(all[1].second.reason, "the program ended before an answer came");
  EXPECT_EQ(quick.wait_for(1).front().second.kind, Kind::delivered);
}

}  // namespace
}  // namespace tenure::webhook
