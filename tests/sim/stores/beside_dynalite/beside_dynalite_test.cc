// The machine beside dynalite, an emulator of DynamoDB (emulators/with_emulator.sh): drawn histories of writes, under
// drawn conditions, are applied to both. Every reply must be the same, and so must be what is left of the items. An
// error's code is compared, and not its words. There is no time in it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sim/stores/dynamodb/dynamodb_store.h"
#include "tests/sim/stores/emulators/http_client.h"

namespace tenure::dynamodb {
namespace {

using Json = nlohmann::json;

const std::string kTable = "locks";

// ---- requests and replies, as DynamoDB has them ---------------------------------------------------------------------

Json written(const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute)) return {{"S", *text}};
  return {{"N", std::to_string(std::get<std::int64_t>(attribute))}};
}
Json written(const Item& item) {
  Json json = Json::object();
  for (const auto& [name, value] : item) json[name] = written(value);
  return json;
}

// Only what an expression uses may be handed over with it: the machine does not mind.
template <class Asked>
void add_expressions(Json& body, const Asked& asked, const std::string& texts) {
  const auto used = [&texts](const std::string& word) { return texts.find(word) != std::string::npos; };
  if (asked.condition_expression) body["ConditionExpression"] = *asked.condition_expression;
  for (const auto& [name, stands_for] : asked.expression_attribute_names)
    if (used(name)) body["ExpressionAttributeNames"][name] = stands_for;
  for (const auto& [name, value] : asked.expression_attribute_values)
    if (used(name)) body["ExpressionAttributeValues"][name] = written(value);
}

struct Asking {
  static Json key(const std::string& key) {
    return {{"TableName", kTable}, {"Key", {{"key", {{"S", key}}}}}};
  }
  Json operator()(const PutItem& it) const {
    Json body = {{"TableName", kTable}, {"Item", written(it.item)}};
    add_expressions(body, it, it.condition_expression.value_or(""));
    return body;
  }
  Json operator()(const UpdateItem& it) const {
    Json body = key(it.key);
    body["UpdateExpression"] = it.update_expression;
    add_expressions(body, it, it.update_expression + it.condition_expression.value_or(""));
    return body;
  }
  Json operator()(const DeleteItem& it) const {
    Json body = key(it.key);
    add_expressions(body, it, it.condition_expression.value_or(""));
    return body;
  }
  Json operator()(const GetItem& it) const {
    Json body = key(it.key);
    body["ConsistentRead"] = true;
    return body;
  }
};

std::string target_of(const Request& request) {
  static const char* const kTargets[] = {"PutItem", "UpdateItem", "DeleteItem", "GetItem"};
  return kTargets[request.index()];
}

struct Said {
  std::string operator()(const Written&) const { return "{}"; }
  std::string operator()(const Found& it) const {
    return it.item ? Json{{"Item", written(*it.item)}}.dump() : "{}";
  }
  std::string operator()(const Failed& it) const { return it.code; }
};

struct Answer {
  std::string said;
  std::string message;
};

Answer ask(emulators::HttpClient& client, const std::string& target, const Json& body) {
  const emulators::HttpAnswer answer =
      client.ask("POST", "/",
                 {"Content-Type: application/x-amz-json-1.0", "X-Amz-Target: DynamoDB_20120810." + target,
                  "X-Amz-Date: 20260101T000000Z",
                  "Authorization: AWS4-HMAC-SHA256 Credential=any/20260101/local/dynamodb/aws4_request, "
                  "SignedHeaders=host, Signature=any"},
                 body.dump());
  const Json json = Json::parse(answer.body);
  if (answer.status == 200) return {json.dump(), ""};
  const std::string type = json.value("__type", answer.body);
  return {type.substr(type.find('#') + 1), json.value("message", "")};
}

// ---- one history ----------------------------------------------------------------------------------------------------

class History {
 public:
  explicit History(unsigned number) : number_(number), dice_(number) {}

  // Empty: the two agreed in everything.
  std::string run(emulators::HttpClient& client, int requests) {
    for (int i = 0; i < requests; ++i) {
      const Request request = some_request();
      if (std::string difference = apply(client, request); !difference.empty()) return difference;
      for (const char* key : {"a", "b"})
        if (std::string difference = apply(client, GetItem{key_of(key)}); !difference.empty())
          return difference;
    }
    return {};
  }
  const std::map<std::string, int>& replies() const { return replies_; }  // to writes, by what was said

 private:
  int roll(int n) { return static_cast<int>(dice_() % static_cast<unsigned>(n)); }
  const char* one_of(std::initializer_list<const char*> words) {
    return words.begin()[roll(static_cast<int>(words.size()))];
  }
  std::string key_of(const std::string& key) const { return fmt::format("{}-{}", number_, key); }
  std::string some_key() { return key_of(one_of({"a", "b"})); }
  Attribute some_value() {
    if (roll(2) == 0) return std::string(one_of({"n1", "n2"}));
    return std::int64_t{roll(5)};
  }

  // Some names stand for others, and some values have a type that an attribute has not.
  std::string name() { return one_of({"holder", "ends_at", "#h", "#e", "tally"}); }
  std::string value() { return one_of({":n1", ":n2", ":0", ":2", ":4"}); }
  std::string operand() { return roll(3) > 0 ? name() : value(); }
  std::string gap() { return roll(4) > 0 ? " " : ""; }

  std::string comparison(const std::string& one, const std::string& other) {
    return one + gap() + one_of({"=", "<>", "<", "<=", ">", ">="}) + gap() + other;
  }
  // dynalite finds two attributes that are not there equal, and does not know NOT NOT: neither is asked (README.md of
  // the store).
  std::string condition(int depth) {
    switch (roll(depth > 0 ? 7 : 3)) {
      case 0: return fmt::format("attribute_exists({})", name());
      case 1: return fmt::format("attribute_not_exists({})", roll(3) > 0 ? name() : "#key");
      case 2: return roll(2) == 0 ? comparison(name(), value()) : comparison(value(), name());
      case 3: return "NOT " + condition(0);
      case 4:
        return fmt::format("({}{}{})", condition(depth - 1), one_of({" AND ", " OR "}), condition(depth - 1));
      default: return condition(depth - 1) + one_of({" AND ", " OR ", " and "}) + condition(depth - 1);
    }
  }
  std::optional<std::string> some_condition() {
    if (roll(4) == 0) return std::nullopt;
    return condition(roll(4));
  }

  std::string term() {
    if (roll(4) == 0) return fmt::format("if_not_exists({},{}{})", name(), gap(), operand());
    return operand();
  }
  std::string update() {
    std::string text;
    if (roll(5) > 0) {
      text = "SET ";
      for (int left = roll(3); left >= 0; --left) {
        text += fmt::format("{}{}={}{}", roll(30) > 0 ? name() : "#key", gap(), gap(), term());
        if (roll(3) == 0) text += fmt::format("{}{}{}{}", gap(), one_of({"+", "-"}), gap(), term());
        if (left > 0) text += "," + gap();
      }
    }
    if (text.empty() || roll(3) == 0) text += fmt::format("{}REMOVE {}", text.empty() ? "" : " ", name());
    if (roll(20) == 0) text += fmt::format(" SET {} = {}", name(), term());
    return text;
  }

  Item some_item() {
    Item item;
    if (roll(30) > 0) item["key"] = some_key();
    if (roll(40) == 0) item["key"] = std::int64_t{1};
    for (const char* attribute : {"holder", "ends_at", "tally"})
      if (roll(3) > 0) item[attribute] = some_value();
    return item;
  }

  Request some_request() {
    static const std::map<std::string, std::string> kNames = {
        {"#h", "holder"}, {"#e", "ends_at"}, {"#key", "key"}};
    static const Item kValues = {{":n1", "n1"},
                                 {":n2", "n2"},
                                 {":0", std::int64_t{0}},
                                 {":2", std::int64_t{2}},
                                 {":4", std::int64_t{4}}};
    switch (roll(6)) {
      case 0:
      case 1: return PutItem{some_item(), some_condition(), kNames, kValues};
      case 2: return DeleteItem{some_key(), some_condition(), kNames, kValues};
      default: return UpdateItem{some_key(), update(), some_condition(), kNames, kValues};
    }
  }

  std::string apply(emulators::HttpClient& client, const Request& request) {
    const Json body = std::visit(Asking{}, request);
    const Answer theirs = ask(client, target_of(request), body);
    std::vector<Notification> heard;
    const Reply reply = *message_as<Reply>(machine_.apply(request, StoreTime{}, heard));
    const std::string own = std::visit(Said{}, reply);
    if (!std::holds_alternative<GetItem>(request)) ++replies_[own];
    if (own == theirs.said) return {};
    const auto* failed = std::get_if<Failed>(&reply);
    return fmt::format("history {}: {} {}\n  dynalite says {} {}\n  the machine {} {}", number_,
                       target_of(request), body.dump(), theirs.said, theirs.message, own,
                       failed != nullptr ? failed->message : "");
  }

  const unsigned number_;
  std::mt19937 dice_;
  DynamodbStore machine_;
  std::map<std::string, int> replies_;
};

TEST(BesideDynalite, drawn_histories_get_the_same_replies) {
  emulators::HttpClient client;
  ask(client, "CreateTable",
      {{"TableName", kTable},
       {"AttributeDefinitions", {{{"AttributeName", "key"}, {"AttributeType", "S"}}}},
       {"KeySchema", {{{"AttributeName", "key"}, {"KeyType", "HASH"}}}},
       {"BillingMode", "PAY_PER_REQUEST"}});
  std::map<std::string, int> replies;
  for (unsigned i = 0; i < 60; ++i) {
    History history(i);
    EXPECT_EQ(history.run(client, 40), "");
    for (const auto& [said, count] : history.replies()) replies[said] += count;
  }
  for (const char* said : {"{}", "ConditionalCheckFailedException", "ValidationException"})
    EXPECT_GT(replies[said], 100) << said;
}

}  // namespace
}  // namespace tenure::dynamodb
