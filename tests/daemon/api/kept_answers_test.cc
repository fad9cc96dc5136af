// Answers that are kept for clients who take one that is a little old.
#include "daemon/api/kept_answers.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "core/base/sha256.h"
#include "daemon/api/api.h"
#include "tests/daemon/api/api_on_a_machine.h"

namespace tenure::daemon::kept_answers_tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr KeptAnswers::Clock::time_point kNow{seconds{1000}};

HttpRequest get(const std::string& path, std::vector<HttpField> fields = {}) {
  HttpRequest asked;
  asked.method = "GET";
  asked.path = path;
  asked.host = "localhost";
  asked.from_loopback = true;
  asked.fields = std::move(fields);
  return asked;
}

HttpRequest get_old(const std::string& path, const std::string& age, std::vector<HttpField> more = {}) {
  more.push_back({"cache-control", "max-age=" + age});
  return get(path, std::move(more));
}

HttpResponse answer(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return response;
}

std::string field(const HttpResponse& response, const std::string& name) {
  for (const HttpField& one : response.fields)
    if (one.name == name) return one.value;
  return {};
}

TEST(KeptAnswers, a_request_says_how_old_an_answer_it_takes) {
  const auto taken = [](const std::string& words) {
    const auto age = KeptAnswers::age_taken(get("/", {{"cache-control", words}}));
    return age ? age->count() : -1;
  };
  EXPECT_EQ(taken("max-age=5"), 5);
  EXPECT_EQ(taken("Max-Age=5"), 5);
  EXPECT_EQ(taken("no-transform ,\tmax-age=7 , max-age=3"), 3);
  for (const char* nothing :
       {"", "max-age=0", "max-age", "max-age=", "max-age=-1", "max-age=5s", "max-age=99999999999",
        "s-maxage=5", "no-cache, max-age=5", "max-age=5,no-store"})
    EXPECT_EQ(taken(nothing), -1) << nothing;
  EXPECT_FALSE(KeptAnswers::age_taken(get("/")));
  const HttpField old{"cache-control", "max-age=5"};
  const HttpField fresh{"cache-control", "no-cache"};
  EXPECT_FALSE(KeptAnswers::age_taken(get("/", {old, fresh}))) << "several fields are one list";
  EXPECT_FALSE(KeptAnswers::age_taken(get("/", {fresh, old})));
}

TEST(KeptAnswers, what_is_no_plain_answer_is_asked_of_the_store) {
  for (const HttpField& other : {HttpField{"if-none-match", "\"1.1\""}, HttpField{"last-event-id", "x"},
                                 HttpField{"accept", "text/event-stream"}})
    EXPECT_FALSE(KeptAnswers::age_taken(get_old("/", "5", {other}))) << other.name;
  HttpRequest post = get_old("/", "5");
  post.method = "POST";
  EXPECT_FALSE(KeptAnswers::age_taken(post));
}

TEST(KeptAnswers, an_answer_is_given_until_it_is_too_old_and_says_its_age) {
  KeptAnswers kept;
  kept.keep("a", answer("first"), kNow);
  EXPECT_FALSE(kept.find("b", seconds{5}, kNow));
  EXPECT_EQ(field(*kept.find("a", seconds{5}, kNow), "Age"), "0");
  const auto got = kept.find("a", seconds{2}, kNow + milliseconds{1001});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "first");
  EXPECT_EQ(field(*got, "Age"), "2") << "not less than it is";
  EXPECT_FALSE(kept.find("a", seconds{2}, kNow + milliseconds{2001}));
  EXPECT_TRUE(kept.find("a", seconds{3}, kNow + milliseconds{2001})) << "another one may take it";
}

TEST(KeptAnswers, the_answer_that_was_asked_for_last_stays) {
  KeptAnswers kept;
  kept.keep("a", answer("late"), kNow + seconds{1});
  kept.keep("a", answer("early"), kNow);  // and was answered later
  EXPECT_EQ(kept.find("a", seconds{5}, kNow + seconds{1})->body, "late");
  kept.keep("a", answer("later"), kNow + seconds{2});
  EXPECT_EQ(kept.find("a", seconds{5}, kNow + seconds{2})->body, "later");
}

TEST(KeptAnswers, errors_streams_and_answers_that_must_arrive_are_not_kept) {
  KeptAnswers kept;
  HttpResponse error = answer("no");
  error.status = 404;
  HttpResponse stream;
  stream.begin_stream = [](const std::shared_ptr<HttpStream>&) {};
  HttpResponse claim = answer("{}");
  claim.not_taken = [] {};
  for (const HttpResponse& one : {error, stream, claim}) kept.keep("a", one, kNow);
  EXPECT_FALSE(kept.find("a", seconds{5}, kNow));
}

TEST(KeptAnswers, all_together_are_bounded_and_the_oldest_go_first) {
  KeptAnswers kept(64 * 1024);
  kept.keep("large", answer(std::string(5 * 1024, 'x')), kNow);
  EXPECT_FALSE(kept.find("large", seconds{5}, kNow)) << "one takes no more than its part";
  for (int i = 0; i < 100; ++i) kept.keep(std::to_string(i), answer(std::string(3 * 1024, 'x')), kNow);
  int left = 0;
  for (int i = 0; i < 100; ++i) left += kept.find(std::to_string(i), seconds{5}, kNow) ? 1 : 0;
  EXPECT_GT(left, 15);
  EXPECT_LE(left, 21);
  EXPECT_TRUE(kept.find("99", seconds{5}, kNow));
  EXPECT_FALSE(kept.find("0", seconds{5}, kNow));
}

// ---- the API -----------------------------------------------------------------------------------------------

class ApiThatKeeps : public ::testing::Test {
 protected:
  HttpResponse ask(HttpRequest request) {
    std::promise<HttpResponse> answered;
    api.handler()(std::move(request),
                  [&answered](HttpResponse response) { answered.set_value(std::move(response)); });
    return answered.get_future().get();
  }
  std::string schedules(HttpRequest request) {
    std::string names;
    const Json answered = Json::parse(ask(std::move(request)).body);
    for (const Json& one : answered.at("schedules")) names += one.at("name").get<std::string>() + " ";
    return names;
  }
  static AccessRules rules(bool with_team) {
    DaemonConfig config;
    if (with_team)
      config.tokens.push_back({.name = "team", .sha256 = sha256_hex("secret"), .read = true, .prefix = "t"});
    return AccessRules(config);
  }

  ApiOnAMachine parts;
  StorePool pool{{.connect = [this](Duration) -> ConnectionOpened {
                    return std::make_unique<MachineBackend>(parts.store);
                  },
                  .threads = 1},
                 parts.clock};
  Api api{parts.context_of(pool), rules(true)};
};

TEST_F(ApiThatKeeps, gives_what_it_gave_before_to_who_takes_it_and_asks_the_store_for_others) {
  parts.put("one");
  EXPECT_EQ(schedules(get("/v1/schedules")), "one ");
  parts.put("two");
  EXPECT_EQ(schedules(get_old("/v1/schedules", "1000")), "one two ") << "nobody had asked for one to be kept";
  parts.put("three");
  const HttpResponse kept = ask(get_old("/v1/schedules", "1000"));
  EXPECT_EQ(field(kept, "Cache-Control"), "no-store");
  EXPECT_NE(field(kept, "Age"), "");
  EXPECT_EQ(schedules(get_old("/v1/schedules", "1000")), "one two ");
  EXPECT_EQ(schedules(get("/v1/schedules")), "one three two ");
  HttpRequest other_query = get_old("/v1/schedules", "1000");
  other_query.query = "prefix=t";
  EXPECT_EQ(schedules(other_query), "three two ");
  HttpRequest other_actor = get_old("/v1/schedules", "1000", {{"tenure-actor", "ann"}});
  EXPECT_EQ(schedules(other_actor), "one three two ");
}

TEST_F(ApiThatKeeps, gives_nobody_what_was_for_another_nor_what_is_his_no_more) {
  for (const char* name : {"one", "two"}) parts.put(name);
  const HttpField team{"authorization", "Bearer secret"};
  EXPECT_EQ(schedules(get_old("/v1/schedules", "1000")), "one two ");
  EXPECT_EQ(schedules(get_old("/v1/schedules", "1000", {team})), "two ");
  EXPECT_EQ(schedules(get_old("/v1/schedules", "1000", {team})), "two ");
  api.set_rules(rules(false));
  EXPECT_EQ(ask(get_old("/v1/schedules", "1000", {team})).status, 401);
}

TEST_F(ApiThatKeeps, keeps_no_answer_that_is_an_error) {
  EXPECT_EQ(ask(get_old("/v1/schedules/one", "1000")).status, 404);
  parts.put("one");
  EXPECT_EQ(ask(get_old("/v1/schedules/one", "1000")).status, 200);
}

}  // namespace
}  // namespace tenure::daemon::kept_answers_tests
