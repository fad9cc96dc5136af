#include "daemon/api/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/readable_text.h"
#include "core/base/sha256.h"
#include "core/store/reference/named.h"
#include "daemon/api/problem.h"
#include "daemon/http/target.h"

namespace tenure::daemon {
namespace {

constexpr std::string_view kBearer = "bearer ";

// Without the port, and without the brackets of an address of IPv6. What has something else behind it than a port stays as
// it is: nobody's name.
std::string_view without_port(std::string_view host) {
  const bool in_brackets = host.starts_with('[');
  const std::size_t end = in_brackets ? host.find(']') : host.find(':');
  if (end == std::string_view::npos) return host;
  const std::string_view behind = host.substr(in_brackets ? end + 1 : end);
  const bool is_port =
      behind.empty() ||
      (behind.front() == ':' && behind.find_first_not_of("0123456789", 1) == std::string_view::npos);
  if (!is_port) return host;
  return in_brackets ? host.substr(1, end - 1) : host.substr(0, end);
}

bool was_forwarded(const HttpRequest& request) {
  return std::any_of(request.fields.begin(), request.fields.end(), [](const HttpField& field) {
    return field.name == "forwarded" || field.name == "x-real-ip" || field.name == "via" ||
           field.name.starts_with("x-forwarded-");
  });
}

HttpProblem unauthorized(std::string detail) {
  return {.status = 401,
          .type = "unauthorized",
          .title = "This needs a token",
          .detail = std::move(detail),
          .fields = {{"WWW-Authenticate", "Bearer realm=\"tenured\""}}};
}

// What the client says of itself, for the log.
std::string actor_of(const HttpRequest& request, const std::string& name) {
  const std::string_view said = request.field("tenure-actor");
  if (said.empty()) return name;
  std::string actor = name + "/" + readable_text(said);
  if (actor.size() > reference::kNameBytes)
    throw HttpProblem{.status = 400, .title = "Tenure-Actor is too long", .detail = {}};
  return actor;
}

}  // namespace

std::string_view name_of(Scope scope) {
  constexpr std::string_view kNames[] = {"none", "read", "write", "admin"};
  return kNames[static_cast<std::size_t>(scope)];
}

bool Caller::may(Scope scope) const {
  switch (scope) {
    case Scope::none: return true;
    case Scope::read: return read;
    case Scope::write: return write;
    case Scope::admin: break;
  }
  return admin;
}

AccessRules::AccessRules(const DaemonConfig& config)
    : hosts_{"localhost", "127.0.0.1", "::1", lower_case(config.listen.address)},
      tokens_(config.tokens),
      loopback_needs_token_(config.loopback_needs_token) {
  for (const std::string& host : config.hosts) hosts_.push_back(lower_case(host));
}

bool AccessRules::is_our_host(std::string_view host) const {
  return std::find(hosts_.begin(), hosts_.end(), lower_case(without_port(host))) != hosts_.end();
}

void AccessRules::check_host(const HttpRequest& request) const {
  if (is_our_host(request.host)) return;
  throw HttpProblem{.status = 421,
                    .type = "misdirected",
                    .title = "This host is not ours",
                    .detail = fmt::format("`{}` is not in http.hosts", readable_text(request.host))};
}

void AccessRules::check_origin(const HttpRequest& request) const {
  const std::string_view origin = request.field("origin");
  const bool cross = request.field("sec-fetch-site") == "cross-site";
  const std::size_t scheme = origin.find("://");
  const bool ours =
      origin.empty() || (scheme != std::string_view::npos && origin.substr(scheme + 3) == request.host);
  if (ours && !cross) return;
  throw HttpProblem{
      .status = 403, .type = "forbidden", .title = "A page of another origin may not do this", .detail = {}};
}

Caller AccessRules::caller_of(const HttpRequest& request) const {
  const std::string_view given = request.field("authorization");
  if (given.empty()) {
    if (request.from_loopback && !loopback_needs_token_ && !was_forwarded(request))
      return {.actor = actor_of(request, "local"), .read = true, .write = true, .admin = true, .prefix = {}};
    throw unauthorized("send it as `Authorization: Bearer TOKEN`");
  }
  if (lower_case(given.substr(0, kBearer.size())) != kBearer)
    throw unauthorized("send it as `Authorization: Bearer TOKEN`");
  const std::string hash = sha256_hex(given.substr(kBearer.size()));
  for (const AccessToken& token : tokens_)
    if (token.sha256 == hash)
      return {.actor = actor_of(request, token.name),
              .read = token.read,
              .write = token.write,
              .admin = token.admin,
              .prefix = token.prefix,
              .token = token.name,
              .quota = token.quota};
  throw unauthorized("this token is not known");
}

}  // namespace tenure::daemon
