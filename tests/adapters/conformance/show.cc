#include "tests/adapters/conformance/show.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <type_traits>

#include "core/base/hash.h"
#include "core/journal/definition_codec.h"
#include "core/store/reference/fields.h"

namespace tenure::conformance {
namespace {

// Every field of everything, in order. One overload a type.
class Text {
 public:
  std::string take() { return std::move(text_); }

  template <class... Fields>
  void all(std::string_view name, const Fields&... fields) {
    text_ += fmt::format("{}(", name);
    (field(fields), ...);
    text_ += ")";
  }
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void field(T value) {
    if constexpr (std::is_enum_v<T>)
      text_ += fmt::format(" #{}", static_cast<int>(value));
    else
      text_ += fmt::format(" {}", value);
  }
  void field(Duration d) { text_ += fmt::format(" {}ns", d.ns()); }
  void field(StoreTime t) { text_ += t == StoreTime::max() ? " never" : fmt::format(" @{}", t.ns() / 1'000); }
  template <class Tag, class Rep>
  void field(Id<Tag, Rep> id) {
    field(id.value);
  }
  void field(Incarnation i) { text_ += fmt::format(" n{}.{}", i.node.value, i.number); }
  void field(const Token& t) { text_ += fmt::format(" {}/{}/{:x}", t.branch, t.epoch, t.nonce); }
  void field(const Definition& d) { text_ += " " + encode(d); }
  template <class T>
  void field(const std::optional<T>& value) {
    value ? field(*value) : static_cast<void>(text_ += " none");
  }
  template <class T>
  void field(const std::vector<T>& values) {
    text_ += " [";
    for (const T& value : values) field(value);
    text_ += " ]";
  }

  // Those whose fields are listed (core/store/reference/fields.h).
  template <HasFields T>
  void field(const T& it) {
    visit_fields(it, [&](const auto&... each) { all(names_of(it).type, each...); });
  }

  void field(const std::string& text) {
    text_ += fmt::format(" \"{}\"", text.size() > 40 ? std::to_string(hash_text(text)) : text);
  }
  void field(const Delivery& d) {
    all("delivery", d.kind, d.destination, d.strict_order, d.attempts, d.back_off, d.longest_back_off);
  }
  void field(const Notification& n) { all("notified", n.what, n.resource); }
  void field(const reference::Lease& l) {
    all("lease", l.holder, l.epoch, l.nonce, l.branch, l.written_at, l.expires_at);
  }
  void field(const reference::Ledger& l) { all("ledger", l.exceptions, l.watermarks); }

 private:
  std::string text_;
};

std::string of(const auto& value) {
  Text text;
  text.field(value);
  return text.take();
}

}  // namespace

std::string show(const reference::Request& request) {
  return std::visit([](const auto& asked) { return of(asked); }, request);
}
std::string show(const reference::Reply& reply) {
  return std::visit([](const auto& given) { return of(given); }, reply);
}
std::string show(const std::vector<Notification>& notifications) { return of(notifications); }
std::string show(const reference::Lease& lease) { return of(lease); }
std::string show(const reference::Ledger& ledger) { return of(ledger); }

}  // namespace tenure::conformance
