// A password that is written down in a connection string appears nowhere, however wrong the string is.
#include "adapters/postgres/redact_secrets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/hosts.h"
#include "adapters/postgres/listener.h"
#include "adapters/postgres/probe.h"
#include "adapters/runtime/election.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/runtime/said.h"

namespace tenure::pgtest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Bad {
  std::string secret;
  std::string words;  // {} is the secret
};

std::vector<Bad> table() {
  std::vector<Bad> all;
  // Characters that mean something in a URI, at the beginning, in the middle and at the end of a password.
  for (const char* odd : {"%", "%zz", "/",  "@",   ":",  "?",  "#",  "[",  "]",  " ",  "&", "=",
                          ",", "'",   "\\", "%00", "//", "@/", "/@", ":/", "?/", "\"", "%2"})
    for (const std::string& secret : {fmt::format("Zq7{}Kx9wVj", odd), fmt::format("{}Zq7Kx9wVj", odd),
                                      fmt::format("Zq7Kx9wVj{}", odd), fmt::format("7531{}Kx9wVj", odd)}) {
      for (const char* words :
           {"postgres://app:{}@127.0.0.1:1/shop",
            "postgresql://app:{}@127.0.0.1:1,127.0.0.1:1/shop?connect_timeout=1",
            "postgres://app:{}@/shop?host=127.0.0.1&port=1",
            "postgres://127.0.0.1:1/shop?user=app&password={}", "host=127.0.0.1 port=1 password={} user=app",
            "password={} host=127.0.0.1 port=1", "host=127.0.0.1 port=1 password='{}' user=app"})
        all.push_back({secret, words});
    }
  const std::string plain = "Zq7Kx9wVj";
  for (const char* words : {"app:{}@127.0.0.1/shop",
                            "postgress://app:{}@127.0.0.1:1/shop",
                            "POSTGRES://app:{}@127.0.0.1:1/shop",
                            "postgres:/app:{}@127.0.0.1:1/shop",
                            "postgres//app:{}@127.0.0.1/shop",
                            "host=postgres://app:{}@127.0.0.1/shop",
                            "dbname=postgres://app:{}@127.0.0.1/shop host=127.0.0.1 port=1",
                            "host=127.0.0.1:{} port=1",
                            "host=127.0.0.1 port={}",
                            "host=127.0.0.1 port=1 passwort={}",
                            "host=127.0.0.1 port=1 {}",
                            "host=127.0.0.1 port=1 pass word={}",
                            "host=127.0.0.1 port=1 password={} sslmode={}",
                            "host=127.0.0.1 port=1 {}=password",
                            "postgres://127.0.0.1:{}@app/shop",
                            "postgres://app@{}:127.0.0.1/shop",
                            "postgres://[app:{}@127.0.0.1/shop",
                            "postgres://app:x@[{}/shop",
                            "postgres://127.0.0.1:1/shop?{}",
                            "postgres://127.0.0.1:1/shop?pasword={}",
                            "host=127.0.0.1 hostaddr={}",
                            "postgres://app:{}@127.0.0.1:1:2/shop",
                            "host='127.0.0.1 password={}",
                            "postgres://127.0.0.1:1/app:{}@shop"})
    all.push_back({plain, words});
  return all;
}

// The longest part of it that is said, from three characters on.
std::string said_of(const std::string& secret, const std::string& text) {
  for (std::size_t length = secret.size(); length >= 3; --length)
    for (std::size_t at = 0; at + length <= secret.size(); ++at)
      if (text.find(secret.substr(at, length)) != std::string::npos) return secret.substr(at, length);
  return {};
}

std::string filled(const Bad& bad) {
  std::string words = bad.words;
  for (std::size_t at = 0; (at = words.find("{}")) != std::string::npos;) words.replace(at, 2, bad.secret);
  return words;
}

TEST(PostgresSecrets, no_part_of_a_password_is_said_whatever_is_wrong) {
  int asked = 0;
  for (const Bad& bad : table()) {
    const std::string words = filled(bad);
    auto opened = PostgresStore::open({.connection = words, .timeout = Duration::millis(200)});
    const auto* error = std::get_if<OpenError>(&opened);
    ASSERT_NE(error, nullptr) << words;
    std::string said = error->message;
    if (++asked % 5 == 0) {
      PostgresListener listener(words);
      said += "\n" + listener.wait(Duration::millis(1)).trouble;
      const auto probe = postgres::open_probe(words, Duration::millis(100));
      if (const auto* why = std::get_if<OpenError>(&probe)) said += "\n" + why->message;
    }
    EXPECT_EQ(said_of(bad.secret, said), "") << words << "\n" << said;
  }
  EXPECT_GT(asked, 500);
}

// Whom a server lets in or not, and what it calls the database, is the server's own words.
TEST(PostgresSecrets, nor_is_it_in_the_words_of_a_server) {
  const FreshDatabase database;
  for (const char* words :
       {"app:{}@localhost/shop", "dbname=postgres://app:{}@h/shop host=localhost password=x",
        "host=localhost user=app password={}", "host=localhost user='app:{}' password=x",
        "dbname='{}@localhost/shop'", "postgres://localhost/app:{}%40shop"}) {
    const Bad bad{"Zq7Kx9wVj", words};
    auto opened = PostgresStore::open({.connection = filled(bad), .timeout = Duration::seconds(2)});
    const auto* error = std::get_if<OpenError>(&opened);
    ASSERT_NE(error, nullptr) << words;
    EXPECT_EQ(said_of(bad.secret, error->message), "") << words << "\n" << error->message;
  }
}

TEST(PostgresSecrets, nor_in_what_a_runtime_says_and_writes) {
  for (const char* words :
       {"postgres://app:Zq7%zzKx9@127.0.0.1:1/shop", "postgres://app:Zq7/Kx9@127.0.0.1:1/shop",
        "host=127.0.0.1 port=1 password=Zq7 Kx9"}) {
    testing::Said said, written;
    Runtime runtime(written.sink(), said.sink());
    ElectionOptions options{.id = NodeId{1}, .connect = connect_with<PostgresStore>({.connection = words})};
    testing::be_quick(options.parameters);
    options.stop_margin = Duration::millis(200);
    const Election election(runtime, options, [](const Term&) {});
    ASSERT_TRUE(said.await("error: node 1, acquire: "));
    ASSERT_TRUE(written.await("the connection string is wrong"));
    for (const char* part : {"Zq7", "Kx9"}) {
      EXPECT_THAT(said.text(), Not(HasSubstr(part)));
      EXPECT_THAT(written.text(), Not(HasSubstr(part)));
    }
  }
}

TEST(PostgresSecrets, what_is_wrong_is_said_all_the_same) {
  const auto problem = [](const std::string& words) { return postgres::problem_with(words); };
  EXPECT_THAT(problem("postgres://app:a%zzb@db/shop"), HasSubstr("a % itself is written %25"));
  EXPECT_THAT(problem("postgres://app:a/b@db/shop"), HasSubstr("a / %2F"));
  EXPECT_THAT(problem("postgres://app:a@b@db/shop"), HasSubstr("%40"));
  EXPECT_THAT(problem("host=db password=a b"), HasSubstr("in single quotes"));
  EXPECT_THAT(problem("host=db pasword=a"), HasSubstr("did you mean \"password\"?"));
  EXPECT_THAT(problem("host=db port=a"), HasSubstr("not a number"));
  for (const char* good :
       {"postgres://app:a%40b@db-1.example:5432,[fd00::7]:5433/shop?target_session_attrs=read-write",
        "host=/var/run/postgresql dbname=shop", "host=a,b port=1,2", "shop", "",
        "postgresql:///shop?host=@abstract", "host=fd00::1%eth0", "postgres://app:a?b#c@db"})
    EXPECT_EQ(problem(good), "") << good;
}

TEST(PostgresSecrets, names_that_the_string_gives_are_kept) {
  const postgres::SecretRedactor redactor("host=db.example,10.0.0.1 user=app dbname=shop password=Zq7Kx9");
  EXPECT_EQ(
      redactor.clean("server at \"db.example\" (10.0.0.1), port 1: no \"shop\" for \"app\", \"Zq7\", Zq7Kx9"),
      "server at \"db.example\" (10.0.0.1), port 1: no \"shop\" for \"app\", \"…\", …");
}

}  // namespace
}  // namespace tenure::pgtest
