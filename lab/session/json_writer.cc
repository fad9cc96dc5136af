#include "lab/session/json_writer.h"

#include <fmt/format.h>

#include "format/syntax/units.h"

namespace tenure::lab {
namespace {

constexpr int kNanoDigits = 9;

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      case '\r': result += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20U || c == 0x7f)
          result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
          result += c;
    }
  }
  return result + '"';
}

}  // namespace

void JsonWriter::new_line() {
  if (indent_ > 0) text_ += "\n" + std::string(static_cast<std::size_t>(indent_) * has_elements_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_elements_.empty()) return;
  if (has_elements_.back()) text_ += ',';
  has_elements_.back() = true;
  new_line();
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  text_ += bracket;
  has_elements_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const bool any = has_elements_.back();
  has_elements_.pop_back();
  if (any) new_line();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  before_value();
  text_ += text;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  text_ += json_text(name) + (indent_ > 0 ? ": " : ":");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return raw(json_text(text)); }
JsonWriter& JsonWriter::nano(std::int64_t number) { return raw(format::print_decimal(number, kNanoDigits)); }
JsonWriter& JsonWriter::value(Duration duration) { return nano(duration.ns()); }

}  // namespace tenure::lab
