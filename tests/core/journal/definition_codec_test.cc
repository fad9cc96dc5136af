#include "core/journal/definition_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/support/definitions.h"
#include "tests/support/each_field.h"

namespace tenure {
namespace {

const StoreTime kAbout = StoreTime{} + Duration::seconds(1'774'745'900);  // a clock change in Berlin is near

std::string complaint(std::string_view text) {
  const auto decoded = decode_definition(text, testing::few_zones());
  const auto* error = std::get_if<CodecError>(&decoded);
  return error == nullptr ? "" : error->message;
}

const std::string kRest =
    R"("misfire":{"policy":"skip","once":"latest","grace_ns":1},"overlap":"allow","paused":false})";
std::string with(const std::string& recurrence) { return R"({"v":1,)" + recurrence + "," + kRest; }

RC_GTEST_PROP(DefinitionCodec, gives_back_what_was_put_in, ()) {
  const Definition drawn = *testing::definitions(kAbout);
  const std::string text = encode(drawn);
  const auto decoded = decode_definition(text, testing::few_zones());
  RC_ASSERT(std::holds_alternative<Definition>(decoded));
  RC_ASSERT(std::get<Definition>(decoded) == drawn);
  RC_ASSERT(encode(std::get<Definition>(decoded)) == text);
}

TEST(DefinitionCodec, gives_back_each_field) {
  for (const Definition& said : testing::each_field_said()) {
    const std::string text = encode(said);
    const auto decoded = decode_definition(text, testing::few_zones());
    ASSERT_TRUE(std::holds_alternative<Definition>(decoded)) << text << std::get<CodecError>(decoded).message;
    EXPECT_EQ(std::get<Definition>(decoded), said) << text;
    const reference::DeliveryRules rules = reference::rules_of(said);
    EXPECT_EQ(decode_rules(encode(rules)), rules) << text;
  }
}

RC_GTEST_PROP(DefinitionCodec, has_one_text_for_a_definition, ()) {
  const Definition one = *testing::definitions(kAbout);
  Definition other = one;
  if (*rc::gen::arbitrary<bool>()) other = *testing::definitions(kAbout);
  RC_ASSERT((one == other) == (encode(one) == encode(other)));
}

RC_GTEST_PROP(DefinitionCodec, a_decoder_of_many_says_of_each_what_is_said_of_it_alone, ()) {
  std::vector<std::string> texts = {"", "{", with(R"("times_us":[])")};
  for (int i = 0; i < 5; ++i) texts.push_back(encode(*testing::definitions(kAbout)));
  DefinitionDecoder decoder(testing::few_zones());
  for (const std::size_t at :
       *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 8))) {
    const auto alone = decode_definition(texts[at], testing::few_zones());
    const auto& decoded = decoder.decode(texts[at]);
    RC_ASSERT(decoded.index() == alone.index());
    if (const auto* definition = std::get_if<Definition>(&alone))
      RC_ASSERT(std::get<Definition>(decoded) == *definition);
    else
      RC_ASSERT(std::get<CodecError>(decoded).message == std::get<CodecError>(alone).message);
  }
}

// Whatever bytes are stored, the answer is a definition or a reason.
RC_GTEST_PROP(DefinitionCodec, survives_damage, ()) {
  std::string text = encode(*testing::definitions(kAbout));
  const int cuts = *rc::gen::inRange(1, 4);
  for (int i = 0; i < cuts && !text.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    if (*rc::gen::arbitrary<bool>()) {
      text[at] = *rc::gen::arbitrary<char>();
    } else {
      text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
    }
  }
  const auto decoded = decode_definition(text, testing::few_zones());
  if (const auto* definition = std::get_if<Definition>(&decoded)) {
    static_cast<void>(slot_at_or_after(*definition, kAbout));  // well-formed: no CHECK fails
  } else {
    RC_ASSERT(!std::get<CodecError>(decoded).message.empty());
  }
}

TEST(DefinitionCodec, writes_what_other_programs_can_read) {
  Definition definition{.recurrence = CronRule{std::make_shared<const Cron>(testing::cron_of("0 9 * * 1-5")),
                                               testing::few_zones().find("Europe/Berlin")}};
  definition.jitter = {Duration::seconds(1), Jitter::Per::schedule, UINT64_MAX};
  EXPECT_EQ(
      encode(definition),
      R"({"cron":{"gap":"gap_end","overlap":"first","text":"0 9 * * 1-5","tzdb":"2025b","zone":"Europe/Berlin"},)"
      R"("jitter":{"max_ns":1000000000,"per":"schedule","seed":18446744073709551615},)"
      R"("misfire":{"grace_ns":60000000000,"once":"latest","policy":"fire_all"},)"
      R"("overlap":"allow","paused":false,"v":1})");
}

TEST(DefinitionCodec, takes_the_zone_of_the_database_at_hand) {
  const auto decoded = decode_definition(
      with(R"("cron":{"gap":"skip","overlap":"both","text":"@daily","tzdb":"2019a","zone":"Europe/Berlin"})"),
      testing::few_zones());
  ASSERT_TRUE(std::holds_alternative<Definition>(decoded)) << std::get<CodecError>(decoded).message;
  const Definition& definition = std::get<Definition>(decoded);
  EXPECT_EQ(std::get<CronRule>(definition.recurrence).zone->tzdb_version(), "2025b");
}

TEST(DefinitionCodec, knows_utc_alone_where_the_store_was_opened_without_zones) {
  const auto decode = [](const std::string& zone) {
    return decode_definition(
        with(R"("cron":{"gap":"skip","overlap":"both","text":"@daily","tzdb":"","zone":")" + zone + R"("})"),
        only_utc());
  };
  EXPECT_TRUE(std::holds_alternative<Definition>(decode("UTC")));
  const auto berlin = decode("Europe/Berlin");
  ASSERT_TRUE(std::holds_alternative<CodecError>(berlin));
  EXPECT_EQ(std::get<CodecError>(berlin).message,
            "cron.zone: the schedule is in time zone `Europe/Berlin`, which this store was opened without; "
            "open it with `.zones` (adapters/tzdb)");
}

TEST(DefinitionCodec, says_what_is_wrong_and_where) {
  EXPECT_EQ(complaint(""), "the definition is no JSON");
  EXPECT_EQ(complaint("[]"), "the definition must be an object");
  EXPECT_EQ(complaint("{}"), "v: is missing");
  EXPECT_EQ(complaint(R"({"v":2})"), "v: is of another version of Tenure; this one knows version 1");
  EXPECT_EQ(complaint(R"({"v":1,)" + kRest), "the definition needs one of `every`, `cron` and `times_us`");
  EXPECT_EQ(complaint(with(R"("every":{"start_us":0,"period_us":0})")), "every.period_us: must be positive");
  EXPECT_EQ(complaint(with(R"("every":{"start_us":0,"period_us":9223372036854775807})")),
            "every.period_us: is too long");
  EXPECT_EQ(complaint(with(R"("every":{"start_us":9223372036854775807,"period_us":1})")),
            "every.start_us: lies beyond the end of time");
  EXPECT_EQ(complaint(with(R"("every":{"start_us":0.5,"period_us":1})")),
            "every.start_us: must be a whole number of 64 bits");
  EXPECT_EQ(complaint(with(R"("times_us":[])")), "times_us: must be a list of times");
  EXPECT_EQ(complaint(with(R"("times_us":[2,1])")), "times_us: must go up");
  EXPECT_EQ(complaint(with(R"("times_us":["1"])")),
            "times_us: must be whole numbers, within the ends of time");
  EXPECT_EQ(complaint(with(R"("times_us":[1],"priority":3)")), "priority: is not known");
  EXPECT_EQ(complaint(with(R"("times_us":[1],"paused":true)")), "paused: is given twice");
  EXPECT_EQ(complaint(with(R"("times_us":[1],"until_us":null)")),
            "until_us: must be a whole number of 64 bits");
  EXPECT_EQ(complaint(with(R"("times_us":[1],"jitter":{"max_ns":1,"per":"slot","seed":-1})")),
            "jitter.seed: must be a whole number of 64 bits without a sign");
  EXPECT_EQ(complaint(with(R"("times_us":[1],"jitter":{"max_ns":-1,"per":"slot","seed":1})")),
            "jitter.max_ns: must not be negative");
  EXPECT_EQ(complaint(with(R"("cron":{"gap":"x","overlap":"both","text":"@daily","tzdb":"","zone":"UTC"})")),
            "cron.gap: must be one of gap_end, shift, skip");
  EXPECT_EQ(
      complaint(
          with(R"("cron":{"gap":"skip","overlap":"both","text":"@daily","tzdb":"","zone":"Mars/Base"})")),
      "cron.zone: the schedule is in time zone `Mars/Base`, which tzdata of this machine (2025b) lacks; "
      "it may be older than that of who wrote it");
  EXPECT_NE(
      complaint(with(R"("cron":{"gap":"skip","overlap":"both","text":"60 * * * *","tzdb":"","zone":"UTC"})")),
      "");
  EXPECT_EQ(complaint(std::string(100'000, '[')), "the definition is no JSON");
}

std::string delivered(const std::string& delivery) {
  std::string text = with(R"("times_us":[1])");
  text.back() = ',';
  return text + R"("delivery":)" + delivery + "}";
}

// Old rows and journals stay as they are.
TEST(DefinitionCodec, leaves_out_how_events_are_delivered_when_the_leader_does_the_work) {
  Definition definition{.recurrence = Interval{{}, Duration::seconds(1)}};
  EXPECT_EQ(encode(definition).find("delivery"), std::string::npos);
  definition.delivery.kind = Delivery::Kind::pull;
  EXPECT_NE(encode(definition).find(R"("delivery":{"kind":"pull"})"), std::string::npos);
}

TEST(DefinitionCodec, refuses_what_does_not_go_together_in_a_delivery) {
  EXPECT_EQ(complaint(delivered(R"({"kind":"pull"})")), "");
  EXPECT_EQ(complaint(delivered(R"({"kind":"post"})")), "delivery.kind: must be one of work, pull, push");
  EXPECT_EQ(complaint(delivered(R"({"kind":"pull","topic":"a"})")), "delivery.topic: is not known");
  EXPECT_EQ(complaint(delivered(R"({"kind":"pull","attempts":0})")), "delivery.attempts: is out of range");
  EXPECT_EQ(complaint(delivered(R"({"kind":"push"})")),
            "the definition cannot be: delivery: to push events, name the destination that they go to");
  EXPECT_EQ(
      complaint(delivered(R"({"kind":"push","destination":"a/b"})")),
      "the definition cannot be: delivery: the name of a destination has up to 120 letters (A to Z, a to z), "
      "digits, `.`, `_` and `-`");
  EXPECT_EQ(complaint(delivered(R"({"kind":"pull","back_off_ns":1001})")),
            "the definition cannot be: delivery: the back-off is positive and the longest one is no shorter, "
            "up to 30 "
            "days; both are whole microseconds");
}

}  // namespace
}  // namespace tenure
