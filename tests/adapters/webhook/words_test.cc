// What is sent, word by word: events, signatures, and the words for a configuration that cannot be used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <variant>

#include "adapters/webhook/cloud_event.h"
#include "adapters/webhook/destination.h"
#include "adapters/webhook/signature.h"
#include "tests/support/temporary.h"

namespace tenure::webhook {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

WebhookDelivery example() {
  WebhookDelivery delivery;
  delivery.destination = "crm";
  delivery.event_id = "2ed6657d-e927-568b-95e1-2665a8aea6a2";
  delivery.source = "/tenure/orders";
  delivery.type = "report.nightly";
  delivery.schedule = "nightly-report";
  delivery.slot = StoreTime::from_ns(1'795'483'800'000'000'000);
  delivery.data = R"({"n":12345678901234567890.10})";
  delivery.sequence = 42;
  delivery.attempt = 3;
  delivery.token = Token{2, 17, 99};
  return delivery;
}

TEST(CloudEvent, has_what_the_specification_asks_for_and_the_data_as_it_was_put) {
  EXPECT_EQ(
      cloud_event_of(example()),
      R"({"specversion":"1.0","id":"2ed6657d-e927-568b-95e1-2665a8aea6a2","source":"/tenure/orders",)"
      R"("type":"report.nightly","subject":"nightly-report","time":"2026-11-24T01:30:00Z",)"
      R"("sequence":"00000000000000000042","attempt":3,"fencingtoken":"0000000002.00000000000000000017",)"
      R"("datacontenttype":"application/json","data":{"n":12345678901234567890.10}})");
}

TEST(CloudEvent, leaves_out_what_there_is_not) {
  WebhookDelivery delivery = example();
  delivery.data.clear();
  delivery.token.reset();
  delivery.type.clear();
  delivery.slot = delivery.slot + Duration::micros(250);
  EXPECT_EQ(cloud_event_of(delivery),
            R"({"specversion":"1.0","id":"2ed6657d-e927-568b-95e1-2665a8aea6a2","source":"/tenure/orders",)"
            R"("type":"tenure.fire","subject":"nightly-report","time":"2026-11-24T01:30:00.000250Z",)"
            R"("sequence":"00000000000000000042","attempt":3})");
}

TEST(CloudEvent, tokens_compare_as_text) {
  const auto token = [](std::uint32_t branch, std::uint64_t epoch) {
    WebhookDelivery delivery = example();
    delivery.token = Token{branch, epoch, 1};
    return nlohmann::json::parse(cloud_event_of(delivery))["fencingtoken"].get<std::string>();
  };
  EXPECT_LT(token(1, 9), token(1, 10));
  EXPECT_LT(token(1, UINT64_MAX), token(2, 1));
  EXPECT_LT(token(9, 1), token(UINT32_MAX, 1));
}

SigningKey key_of(std::string_view text) { return std::get<SigningKey>(read_signing_key(text)); }
std::string wrong_with(std::string_view text) {
  const auto read = read_signing_key(text);
  const auto* wrong = std::get_if<UnusableKey>(&read);
  return wrong == nullptr ? "" : wrong->why;
}

// The example of the specification's own libraries (standard-webhooks, tests of each language).
TEST(Signature, is_that_of_the_specification) {
  const std::vector<SigningKey> keys = {key_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")};
  EXPECT_EQ(signature_of(keys, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, has_one_for_each_key_while_they_are_changed) {
  const std::vector<SigningKey> keys = {key_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                                        key_of("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")};
  const std::string both = signature_of(keys, "id", 1, "body");
  const std::vector<SigningKey> first = {keys[0]};
  const std::vector<SigningKey> second = {keys[1]};
  EXPECT_EQ(both, signature_of(first, "id", 1, "body") + " " + signature_of(second, "id", 1, "body"));
  EXPECT_NE(signature_of(first, "id", 1, "body"), signature_of(first, "id", 2, "body"));
  EXPECT_NE(signature_of(first, "id", 1, "body"), signature_of(first, "other", 1, "body"));
}

std::string text_of_page() {
  std::ostringstream text;
  text << std::ifstream(TENURE_SOURCE_DIR "/docs/webhooks.md").rdbuf();
  return text.str();
}

TEST(Signature, of_the_page_is_that_of_what_the_page_shows) {
  WebhookDelivery shown = example();
  shown.source = "/tenure";
  shown.data = R"({"format":"pdf"})";
  std::string body = cloud_event_of(shown);
  const std::string page = text_of_page();
  const std::vector<SigningKey> keys = {key_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")};
  EXPECT_THAT(page,
              HasSubstr("webhook-signature: " + signature_of(keys, shown.event_id, 1795483800, body) + "\n"));
  for (const char* begins_a_line : {"\"subject\"", "\"fencingtoken\""})
    body.insert(body.find(begins_a_line), "\n ");
  EXPECT_THAT(page, HasSubstr("\n" + body + "\n"));
}

TEST(SigningKeys, that_cannot_be_used_are_refused_in_words_without_the_secret) {
  EXPECT_EQ(wrong_with("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "does not begin with `whsec_`");
  EXPECT_EQ(wrong_with("whsec_"), "is not Base64 after `whsec_`");
  EXPECT_EQ(wrong_with("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"), "is not Base64 after `whsec_`");
  EXPECT_EQ(wrong_with("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2L!LaSw"), "is not Base64 after `whsec_`");
  EXPECT_EQ(wrong_with("whsec_MfKQ=r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "is not Base64 after `whsec_`");
  EXPECT_THAT(wrong_with("whsec_MfKQ9r8G"), HasSubstr("has 6 bytes, and needs 24 to 64"));
}

TEST(SigningKeys, come_from_a_file_or_the_environment) {
  const tenure::testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/secret";
  std::ofstream(path) << "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";
  setenv("TENURE_TEST_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 1);
  setenv("TENURE_TEST_WRONG", "password", 1);
  const auto load = [](const std::string& where) {
    const auto loaded = load_signing_key(where);
    const auto* wrong = std::get_if<UnusableKey>(&loaded);
    return wrong == nullptr ? std::get<SigningKey>(loaded).bytes() : wrong->why;
  };
  const std::string bytes = key_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").bytes();
  EXPECT_EQ(load("file:" + path), bytes);
  EXPECT_EQ(load("env:TENURE_TEST_SECRET"), bytes);
  EXPECT_EQ(load("env:TENURE_TEST_WRONG"), "the secret in TENURE_TEST_WRONG does not begin with `whsec_`");
  EXPECT_EQ(load("env:TENURE_TEST_NONE"), "the environment has no TENURE_TEST_NONE");
  EXPECT_EQ(load("file:/nowhere/x"), "cannot read /nowhere/x");
  EXPECT_EQ(load("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            "say where the secret is: `env:NAME` or `file:PATH`");
}

WebhookDestination usable() {
  WebhookDestination destination;
  destination.name = "crm";
  destination.url = "https://crm.example.com/hooks?tenant=7";
  return destination;
}

TEST(Destinations, are_judged_before_they_are_used_and_all_at_once) {
  EXPECT_THAT(problems_of(usable()), IsEmpty());
  WebhookDestination wrong = usable();
  wrong.name.clear();
  wrong.url = "ftp://user:pass@192.168.1.1/#top";
  wrong.connect_timeout = Duration::seconds(20);
  wrong.in_flight = 0;
  EXPECT_THAT(
      problems_of(wrong),
      ElementsAre("name: it is empty", "url: `ftp` is neither http nor https",
                  "url: it has a user or a password; webhooks are signed instead",
                  "url: it has a `#`, which is not sent",
                  "url: 192.168.1.1 is a private address; add its network to `allow` if that is meant",
                  "connect_timeout: it is 1ms to total_timeout", "in_flight: it is 1 to 1000"));
}

TEST(Destinations, an_address_in_any_form_is_judged_as_what_it_is) {
  for (const std::string_view host :
       {"127.0.0.1", "0x7f.1", "2130706433", "017700000001", "[::1]", "[::ffff:7f00:1]"}) {
    WebhookDestination destination = usable();
    destination.url = "http://" + std::string(host) + "/";
    EXPECT_THAT(problems_of(destination), ElementsAre(HasSubstr("loopback"))) << host;
    destination.allow = {*read_ip_network("127.0.0.0/8"), *read_ip_network("::1")};
    EXPECT_THAT(problems_of(destination), IsEmpty()) << host;
  }
}

TEST(Destinations, no_url_is_said_with_what_is_wrong) {
  WebhookDestination destination = usable();
  destination.url = "https://";
  EXPECT_THAT(problems_of(destination), ElementsAre(HasSubstr("url: `https://` is none: ")));
  destination.url = "crm.example.com";
  EXPECT_THAT(problems_of(destination), ElementsAre(HasSubstr("is none: ")));
}

}  // namespace
}  // namespace tenure::webhook
