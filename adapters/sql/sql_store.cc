#include "adapters/sql/sql_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/sql/database.h"
#include "core/base/check.h"
#include "core/store/store_machine.h"
#include "sim/stores/statements/requests.h"

namespace tenure::sql {
namespace {

// What all stores of one schema share: which statements are admitted, since admitting one costs more than running it.
class Admissions {
 public:
  explicit Admissions(Schema schema) : schema_(std::move(schema)) {}

  const Schema& schema() const { return schema_; }
  // The statement, or why it is refused.
  std::variant<AdmittedStatement, std::string> find(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    const auto known = admitted_.find(text);
    if (known != admitted_.end()) return known->second;
    std::variant<AdmittedStatement, Refusal> admitted = AdmittedStatement::admit(text, schema_);
    if (const auto* refusal = std::get_if<Refusal>(&admitted)) return refusal->message();
    if (admitted_.size() == kKept) admitted_.clear();
    return admitted_.emplace(text, std::get<AdmittedStatement>(std::move(admitted))).first->second;
  }

 private:
  static constexpr std::size_t kKept =
      1'000;  // a program that writes values into its texts has ever new ones

  Schema schema_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, AdmittedStatement> admitted_;
};

struct SchemaKind {
  std::unique_ptr<const Admissions> admissions;
  StoreKind kind;
};

statements::SqlFailed refused(std::string why) { return {"", std::move(why)}; }

class SqlStore final : public StoreMachine {
 public:
  explicit SqlStore(const Admissions& admissions) : admissions_(admissions) {}
  SqlStore(const SqlStore& other) : admissions_(other.admissions_) {
    if (other.database_) database_ = other.database_->copy();
  }

  bool handles(const Request& request) const override {
    return message_as<statements::Request>(request) != nullptr;
  }
  Reply apply(const Request& request, StoreTime store_now, std::vector<Notification>&) override {
    return statements::Reply{execute(statements_of(request), store_now)};
  }
  // Which rows a statement locks is not known without running it. So any that writes waits for who wrote.
  RowLock lease_lock(const Request& request) const override {
    const std::vector<statements::SqlStatement>& all = statements_of(request);
    const bool writes = std::any_of(all.begin(), all.end(), [this](const statements::SqlStatement& each) {
      const std::variant<AdmittedStatement, std::string> admitted = admissions_.find(each.text);
      return std::holds_alternative<AdmittedStatement>(admitted) &&
             std::get<AdmittedStatement>(admitted).writes();
    });
    return writes ? RowLock::no_key_update : RowLock::none;
  }
  // Rows know no branch, and a replica has no rows of unlogged tables.
  void promote(std::uint32_t) override { crash(); }
  void crash() override {
    if (database_) database_->empty_unlogged_tables();
  }
  std::unique_ptr<StoreMachine> clone() const override { return std::make_unique<SqlStore>(*this); }
  void hash(Hasher&, StoreTime) const override { CHECK(false, "who hashes stores refuses designs"); }

 private:
  static const std::vector<statements::SqlStatement>& statements_of(const Request& request) {
    const auto* family = message_as<statements::Request>(request);
    CHECK(family != nullptr, "a request of another store's family");
    return std::visit(
        [](const auto& asked) -> const std::vector<statements::SqlStatement>& { return asked.statements; },
        *family);
  }

  statements::Reply execute(const std::vector<statements::SqlStatement>& asked, StoreTime now) {
    if (!database_) {
      std::variant<Database, Error> opened = Database::open(admissions_.schema(), now);
      if (const auto* error = std::get_if<Error>(&opened))
        return refused(
            fmt::format("a first row of the schema does not fit: {} ({})", error->message, error->sqlstate));
      database_ = std::get<Database>(std::move(opened));
    }
    std::vector<Database::Step> steps;
    for (const statements::SqlStatement& each : asked) {
      std::variant<AdmittedStatement, std::string> admitted = admissions_.find(each.text);
      if (auto* why = std::get_if<std::string>(&admitted))
        return refused("this statement is refused, " + *why);
      steps.push_back({std::get<AdmittedStatement>(std::move(admitted)), each.parameters});
    }
    std::variant<std::vector<SqlRows>, Database::StepFailed> ran = database_->transaction(steps, now);
    if (const auto* failed = std::get_if<Database::StepFailed>(&ran)) {
      if (failed->error.kind == Error::Kind::engine) return refused(failed->error.message);
      return statements::SqlFailed{failed->error.sqlstate, failed->error.message};
    }
    return statements::Executed{std::get<std::vector<SqlRows>>(std::move(ran))};
  }

  const Admissions& admissions_;
  std::optional<Database> database_;  // none: nothing was asked yet
};

}  // namespace

const StoreKind* store_kind(const std::string& schema, std::string& problem) {
  static std::mutex mutex;
  static std::map<std::string, SchemaKind> kinds;
  const std::lock_guard lock(mutex);
  if (const auto known = kinds.find(schema); known != kinds.end()) return &known->second.kind;
  std::variant<Schema, Refusal> read = Schema::read(schema);
  if (const auto* refusal = std::get_if<Refusal>(&read)) {
    problem = refusal->message();
    return nullptr;
  }
  SchemaKind made{std::make_unique<const Admissions>(std::get<Schema>(std::move(read))), {}};
  made.kind.name = "sql";
  made.kind.summary = "a schema of the user's own, in SQL";
  made.kind.make = {made.admissions.get(), [](const void* of) -> std::unique_ptr<StoreMachine> {
                      return std::make_unique<SqlStore>(*static_cast<const Admissions*>(of));
                    }};
  made.kind.strongest_lease_lock = RowLock::no_key_update;
  const auto placed = kinds.emplace(schema, std::move(made)).first;
  placed->second.kind.schema = placed->first;
  return &placed->second.kind;
}

const StoreKind* kind_for_any_engine(const std::string& schema, std::string& problem) {
  if (const StoreKind* const kind = store_kind(schema, problem)) return kind;
  const std::variant<Schema, Refusal> read = Schema::read(schema);
  if (std::get<Refusal>(read).postgres_refuses) return nullptr;
  static std::mutex mutex;
  static std::map<std::string, StoreKind> kinds;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = kinds.try_emplace(schema);
  if (is_new) {
    place->second.name = "sql";
    place->second.summary = "a schema of the user's own, in SQL";
    place->second.schema = place->first;
  }
  return &place->second;
}

std::string refusal_of(const StoreKind& kind) {
  const std::variant<Schema, Refusal> read = Schema::read(kind.schema);
  const auto* refusal = std::get_if<Refusal>(&read);
  return refusal != nullptr ? refusal->message() : std::string{};
}

}  // namespace tenure::sql
