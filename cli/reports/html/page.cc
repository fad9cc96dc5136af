#include "cli/reports/html/page.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>

#include "core/base/sha256.h"

namespace tenure::cli {
namespace {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t word = std::uint32_t{bytes[i]} << 16U;
    if (left > 1) word |= std::uint32_t{bytes[i + 1]} << 8U;
    if (left > 2) word |= bytes[i + 2];
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit <= left ? kDigits[(word >> (18 - 6 * digit)) & 63U] : '=';
  }
  return text;
}

std::string hash_of(std::string_view text) { return "'sha256-" + base64(sha256(text)) + "'"; }

// Invariant 2: in JSON these letters are only ever within strings, where their numbers mean the same.
std::string harmless(std::string_view json) {
  std::string result;
  for (const char c : json) {
    switch (c) {
      case '<': result += "\\u003c"; break;
      case '>': result += "\\u003e"; break;
      case '&': result += "\\u0026"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string page_of(std::string_view title, std::string_view before, const std::vector<PageBlock>& blocks) {
  const PageFiles& files = page_files();
  const std::string policy =
      fmt::format("default-src 'none'; script-src {} {}; style-src {}; base-uri 'none'; form-action 'none'",
                  hash_of(files.d3), hash_of(files.script), hash_of(files.style));
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" "
      "content=\"tenure\">\n";
  page += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy);
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{} - tenure</title>\n", html_text(title));
  page += fmt::format("<style>{}</style>\n</head>\n<body>\n{}", files.style, before);
  page += fmt::format("<div id=\"run\" hidden>\n{}</div>\n", files.body);
  for (const PageBlock& block : blocks)
    page += fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", block.id,
                        harmless(block.json));
  page += fmt::format("<script>{}</script>\n<script>{}</script>\n</body>\n</html>\n", files.d3, files.script);
  return page;
}

}  // namespace tenure::cli
