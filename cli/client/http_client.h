// Requests to a server over HTTP, for commands that are clients of `tenured`.
//
// Proxies of the environment are not used, and redirects are not followed: a token goes to the server that was named,
// and nowhere else.
//
// Thread rule: used by the main thread.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tenure::cli {

// The statuses that are more to a client than done or not.
inline constexpr int kHttpBadRequest = 400;
inline constexpr int kHttpUnauthorized = 401;
inline constexpr int kHttpNotFound = 404;
inline constexpr int kHttpPreconditionFailed = 412;
inline constexpr int kHttpTooLarge = 413;
inline constexpr int kHttpUnprocessable = 422;

struct HttpRequest {
  std::string method = "GET";
  std::string path;                 // from "/" on, with what follows a `?`
  std::optional<std::string> body;  // JSON
  std::vector<std::pair<std::string, std::string>> headers;
};

struct HttpReply {
  int status = 0;
  std::string etag;  // empty: none
  std::string content_type;
  std::string body;
};

// No answer came: why, in words.
struct NoReply {
  std::string why;
};

// `base` is http or https, a host, perhaps a port and a path: "http://127.0.0.1:8420". `token` is empty, or sent as a
// bearer's.
std::variant<HttpReply, NoReply> send_request(const std::string& base, const std::string& token,
                                              const HttpRequest& request);

// What is wrong with such a base; empty: nothing.
std::string problem_of_server(const std::string& base);
// Text as a part of a path, or as a value in a query.
std::string url_escaped(const std::string& text);

}  // namespace tenure::cli
