// The journal's format: what is written is read back, and what is damaged is refused in words.
#include "core/journal/line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/journal/kinds.h"
#include "tests/support/journal_lines.h"

namespace tenure::journal {
namespace {

using namespace tenure::testing::journal_lines;

std::string error_of(const std::string& text) {
  const auto decoded = decode(text);
  const auto* bad = std::get_if<BadLine>(&decoded);
  return bad != nullptr ? bad->message : "";
}

// `text` with the first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << " is not in " << text;
  return text.replace(place, from.size(), to);
}

// What is for people is not read, so that what is read is compared by what is written of it again, without that.
std::string without_words(std::string text) {
  for (const char* field : {",\"text\":\"", ",\"why\":\""}) {
    const std::size_t place = text.find(field);
    if (place == std::string::npos) continue;
    const std::size_t end = text.find('"', place + std::string(field).size());
    text.erase(place, end + 1 - place);
  }
  return text;
}

TEST(JournalLine, what_is_written_is_read_back) {
  for (const Line& one : every_line()) {
    const std::string text = encode(one);
    const auto decoded = decode(text);
    ASSERT_TRUE(std::holds_alternative<Line>(decoded)) << text << ": " << std::get<BadLine>(decoded).message;
    EXPECT_EQ(without_words(encode(std::get<Line>(decoded))), without_words(text));
  }
}

TEST(JournalLine, words_have_the_numbers_that_users_gave_the_nodes) {
  const auto says = [](const Line& one, const char* words) {
    EXPECT_NE(encode(one).find(words), std::string::npos) << encode(one);
  };
  says(asked(reference::Acquire{{}, kWho, 41, 42, Duration::seconds(15)}), "acquire as n3#4000000000, ");
  says(asked(reference::CommitFires{{}, {{1}, 1}, kToken, {}}), "commit fires as n1, ");
  says(asked(reference::Release{{}, {{0}, 2}, kToken}), "release as n0#2, ");
  says(answered(reference::Refused{reference::Denial::other_holder, {{7}, 5}, 3, {}}), "held by n7#5, ");
}

// Journals are read by people who must not read what consumers are told (docs/adr/0051).
TEST(JournalLine, no_payload_is_ever_in_a_journal) {
  const reference::Payload payload{.topic = "mail",
                                   .type = "sealed",
                                   .data = R"({"password":"hunter2"})",
                                   .labels = {{"sealed", "hunter2"}},
                                   .description = "sealed"};
  reference::NamedSchedule schedule;
  schedule.name = "report";
  schedule.payload = payload;
  std::vector<Line> lines = {
      asked(reference::PutNamed{
          {}, "report", {}, {.recurrence = Interval{{}, Duration::seconds(1)}}, payload, "ann"}),
      answered(reference::NamedSchedules{{schedule}}),
      answered(reference::Payloads{
          {{.event = {}, .found = true, .version = 1, .name = "report", .payload = payload}}})};
  for (const Line& one : lines) {
    const std::string text = encode(one);
    EXPECT_NE(text.find("report"), std::string::npos) << text;
    EXPECT_NE(text.find("22 bytes"), std::string::npos) << text;
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
    EXPECT_EQ(text.find("sealed"), std::string::npos) << text;
  }
}

TEST(JournalLine, what_is_read_is_what_was_told) {
  const auto granted =
      std::get<Line>(decode(encode(answered(reference::Granted{kToken, Duration::seconds(15)}))));
  EXPECT_EQ(granted.now.at, BootTime::from_ns(5'000));
  EXPECT_EQ(granted.now.mono, MonoTime::from_ns(5'001));
  EXPECT_EQ(granted.who, kWho);
  const auto& answer = std::get<Answered>(granted.event);
  EXPECT_EQ(answer.store_time, kSlot);
  EXPECT_EQ(answer.position, 12U);
  EXPECT_EQ(std::get<reference::Granted>(*answer.reply).token, kToken);
  EXPECT_EQ(std::get<reference::Granted>(*answer.reply).duration, Duration::seconds(15));

  const reference::LedgerRow row{{1}, 2, kSlot, StoreTime::max(), kSlot, {}, reference::Disposition::missed,
                                 3};
  const auto commit =
      std::get<Line>(decode(encode(asked(reference::CommitFires{ResourceId{6}, kWho, kToken, {row}}))));
  const Submission& submission = std::get<Asked>(commit.event).submission;
  EXPECT_TRUE(submission.as_leader);
  EXPECT_EQ(submission.part, Part::scheduler);
  const auto& read = std::get<reference::CommitFires>(std::get<reference::Request>(submission.request));
  EXPECT_EQ(read.resource, ResourceId{6});
  EXPECT_EQ(read.token, kToken);
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].version, 2U);
  EXPECT_EQ(read.rows[0].from, kSlot);
  EXPECT_EQ(read.rows[0].to, StoreTime::max());
  EXPECT_EQ(read.rows[0].what, reference::Disposition::missed);
  EXPECT_EQ(read.rows[0].slots, 3);
}

TEST(JournalLine, a_wait_that_a_destination_asks_for_is_kept_and_none_is_not_said) {
  const reference::EventId event{ScheduleId{3}, kSlot, 0};
  for (const Duration asked : {Duration{}, Duration::seconds(7)}) {
    const std::string text = encode(line(WorkDone{event, WorkResult::failed, asked}));
    EXPECT_EQ(text.find("retry_after_ns") != std::string::npos, asked != Duration{}) << text;
    const auto decoded = decode(text);
    ASSERT_TRUE(std::holds_alternative<Line>(decoded)) << std::get<BadLine>(decoded).message;
    EXPECT_EQ(std::get<WorkDone>(std::get<Line>(decoded).event).retry_after, asked);
  }
}

TEST(JournalLine, what_a_client_changed_is_told_without_what_the_request_carried) {
  const auto read = [](const Line& one) {
    return std::get<ClientChange>(std::get<Line>(decode(encode(one))).event);
  };
  const ClientChange put = read(client(reference::PutNamed{}, {}, ClientChange::Done{kSlot, 12, 4}));
  EXPECT_EQ(kRequestKinds.at(put.kind), "put-named");
  EXPECT_EQ(put.resource, ResourceId{6});
  EXPECT_FALSE(put.run);
  ASSERT_TRUE(put.done);
  EXPECT_EQ(put.done->store_time, kSlot);
  EXPECT_EQ(put.done->position, 12U);
  EXPECT_EQ(put.done->change_seq, 4U);

  const ClientChange::Run asked_for{{8}, 10'000'000'000'000'000'000ULL};
  const ClientChange trigger = read(client(reference::TriggerSchedule{}, asked_for, std::nullopt));
  EXPECT_EQ(kRequestKinds.at(trigger.kind), "trigger-schedule");
  EXPECT_EQ(trigger.run, asked_for);
  EXPECT_FALSE(trigger.done);
  EXPECT_EQ(trigger.asked, MonoTime::from_ns(4'000));

  const std::string text = encode(client(reference::EndExecutions{}, {}, ClientChange::Done{kSlot, 12}));
  EXPECT_EQ(text.substr(text.find("\"event\"")),
            R"("event":"client","kind":"end-executions","resource":6,"outcome":"applied",)"
            R"("store_time_us":1700000000000000,"position":12})");
}

TEST(JournalLine, only_what_clients_change_is_told_of_a_client) {
  for (std::size_t kind = 0; kind < kRequestKinds.size(); ++kind) {
    Line one = client(reference::PutNamed{}, {}, ClientChange::Done{kSlot, 12});
    std::get<ClientChange>(one.event).kind = kind;
    const std::string error = error_of(encode(one));
    const std::string_view name = kRequestKinds[kind];
    const bool of_a_node = name == "acquire" || name == "renew" || name == "release" ||
                           name == "commit-fires" || name == "set-hold" || name == "clear-hold" ||
                           name == "give-up-events";
    const bool reads = name.starts_with("read-") || name == "list-named" || name == "changes-since";
    const bool is_run = name == "trigger-schedule" || name == "backfill-schedule";
    EXPECT_EQ(error, of_a_node || reads ? "`kind` cannot be \"" + std::string(name) + "\" of a client"
                     : is_run           ? "`schedule` is missing"
                                        : "");
  }
}

TEST(JournalLine, kinds_are_named_in_the_order_of_the_requests) {
  EXPECT_EQ(kRequestKinds[reference::Request(reference::CommitFires{}).index()], "commit-fires");
  EXPECT_EQ(kRequestKinds[reference::Request(reference::Prune{}).index()], "prune");
  EXPECT_EQ(kReplyKinds[reference::Reply(reference::CommitRefused{}).index()], "commit-refused");
  EXPECT_EQ(kReplyKinds[reference::Reply(reference::Pruned{}).index()], "pruned");
}

TEST(JournalLine, says_what_is_wrong) {
  const std::string believes = encode(every_line()[4]);
  const std::string granted = encode(answered(reference::Granted{kToken, Duration::seconds(15)}));
  EXPECT_EQ(error_of(""), "this is no JSON");
  EXPECT_EQ(error_of("[1]"), "this is no object of JSON");
  EXPECT_EQ(error_of("{}"), "`v` is missing");
  EXPECT_EQ(error_of(with(believes, "\"v\":5", "\"v\":6")),
            "this is version 6 of the journal's format, and 4 to 5 are known here");
  EXPECT_EQ(error_of(with(believes, "\"v\":5", "\"v\":1")),
            "this is version 1 of the journal's format, and 4 to 5 are known here");
  EXPECT_EQ(error_of(with(believes, "\"prev\":\"00", "\"prev\":\"")), "`prev` is no hash of a line");
  EXPECT_EQ(error_of(with(believes, "\"seq\":17,", "")), "`seq` is missing");
  EXPECT_EQ(error_of(with(believes, "\"seq\":17,", "\"seq\":0,")), "`seq` counts from 1");
  EXPECT_EQ(error_of(with(believes, "believes", "belives")), "`event` cannot be \"belives\"");
  EXPECT_EQ(error_of(with(believes, "\"nonce\"", "\"nunce\"")), "`nonce` is missing");
  EXPECT_EQ(error_of(with(believes, "\"nonce\":\"", "\"nonce\":\"x")),
            "`nonce` is no number in a string: \"x18000000000000000001\"");
  EXPECT_EQ(error_of(with(believes, "\"node\":3", "\"node\":-3")), "`node` is no number that fits there: -3");
  EXPECT_EQ(error_of(with(believes, "\"until_mono\":77", "\"until_mono\":7.7")),
            "`until_mono` is no number that fits there: 7.7");
  EXPECT_EQ(error_of(with(granted, "\"granted\"", "\"given\"")), "`kind` cannot be \"given\"");
  EXPECT_EQ(error_of(with(granted, "\"applied\"", "\"done\"")), "`outcome` cannot be \"done\"");
  EXPECT_EQ(error_of(with(granted, "\"changed\":true", "\"changed\":1")),
            "`changed` is neither true nor false: 1");
  const std::string change = encode(client(reference::AckEvents{}, {}, ClientChange::Done{kSlot, 12}));
  EXPECT_EQ(error_of(with(change, "\"applied\"", "\"rejected\"")),
            "`outcome` cannot be \"rejected\" of a client: nothing was changed");
  EXPECT_EQ(error_of(with(change, "\"applied\"", "\"unknown\"")), "`asked_mono` is missing");
  EXPECT_EQ(error_of(with(change, "\"position\":12", "\"position\":-12")),
            "`position` is no number that fits there: -12");
  EXPECT_EQ(error_of(with(change, "\"ack-events\"", "\"ack-event\"")), "`kind` cannot be \"ack-event\"");
}

// What other programs must come to, which anchor a journal elsewhere.
TEST(JournalLine, is_chained_by_the_first_half_of_sha_256_of_its_bytes) {
  EXPECT_EQ(chain_hash("abc"), "ba7816bf8f01cfea414140de5dae2223");
  EXPECT_EQ(kFirstPrev.size(), chain_hash("").size());
  const std::string text = encode(line(Note{Stopped{}}));
  EXPECT_TRUE(text.starts_with("{\"v\":5,\"prev\":\"00000000000000000000000000000000\",\"at\":")) << text;
}

TEST(JournalLine, a_definition_in_a_zone_that_is_not_there_is_said_to_be_unread) {
  reference::Changes changes;
  changes.changes.push_back({4, {{1}, 2, kSlot, StoreTime::max(), kSlot}, {}, false});
  const std::string known = encode(answered(changes));
  const std::string text = with(known, "\"every\":{\"period_us\"", "\"elsewhere\":{\"period_us\"");
  const auto decoded = decode(text);
  ASSERT_TRUE(std::holds_alternative<Line>(decoded)) << std::get<BadLine>(decoded).message;
  const auto& answer = std::get<Answered>(std::get<Line>(decoded).event);
  EXPECT_EQ(answer.unread, std::vector<ScheduleId>{ScheduleId{1}});
  EXPECT_TRUE(std::get<reference::Changes>(*answer.reply).changes.empty());
}

// A line may be cut anywhere, and any of its bytes may be another.
TEST(JournalLine, any_bytes_give_a_line_or_a_reason) {
  for (const Line& one : every_line()) {
    const std::string text = encode(one);
    for (std::size_t i = 0; i < text.size(); ++i) {
      EXPECT_FALSE(error_of(text.substr(0, i)).empty());
      for (const char c : {'"', '9', '}', '\0', '\xff'}) {
        std::string damaged = text;
        damaged[i] = c;
        decode(damaged);
      }
    }
  }
}

}  // namespace
}  // namespace tenure::journal
