// An HTTP/1.1 server with limits: a small, fixed number of threads, whatever its clients do.
//
//   1. No client can hold a thread: everything is asynchronous, and has a deadline.
//   2. What a client sends is bounded before it is kept: header, body (with a length or in chunks), connections.
//   3. Requests of one connection are answered in order, one at a time. What a client sends ahead waits unread.
//   4. Who ends his side of the connection while he waits is taken to be gone. If nothing depends on whether he gets the
//      answer (HttpResponse::not_taken), it is sent all the same.
//   5. Large answers that clients have not taken yet are bounded all together; past that, the next one is a 503.
//   6. A request that cannot be read is answered with a problem (RFC 9457), and ends its connection.
//
// It knows nothing of what it serves.
//
// Thread rule: made, stopped and destroyed by one thread. The handler is called on the server's threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/time.h"
#include "daemon/http/message.h"

namespace tenure::daemon {

// An answer that begins to leave.
struct HttpAnswered {
  std::string_view route;   // as the handler says; empty: the server answers for it
  std::string_view method;  // as sent; empty: it could not be read
  std::uint16_t status = 0;
  Duration took;  // since the request was read
};

struct HttpOptions {
  std::string address = "127.0.0.1";  // of an interface; no name
  std::uint16_t port = 0;             // 0: the system chooses one
  int threads = 2;
  std::size_t connections = 256;           // beyond these a client is told 503 and sent away
  std::uint32_t header_bytes = 16 * 1024;  // of the request line and all fields
  std::uint64_t body_bytes = 1024 * 1024;
  std::size_t answer_bytes = 64 * 1024 * 1024;    // of all answers that are large, and not taken yet
  Duration idle_time = Duration::seconds(30);     // for a request to begin and its header to arrive
  Duration receive_time = Duration::seconds(10);  // for the rest of it
  Duration answer_time = Duration::seconds(30);   // for the handler
  Duration send_time = Duration::seconds(20);     // for the client to take the answer, or a piece of a stream
  // Is told of each, on any of the server's threads; must not block.
  std::function<void(const HttpAnswered&)> answered = {};
};

class HttpServer {
 public:
  // The words say why it cannot listen.
  using Opened = std::variant<std::unique_ptr<HttpServer>, std::string>;
  static Opened open(HttpOptions options, HttpHandler handler);
  ~HttpServer();  // ends every connection at once
  HttpServer(const HttpServer&) = delete;

  std::uint16_t port() const;
  std::size_t connections() const;
  // Takes no new connection and no new request, and closes streams. Waits for requests under way, at most so long.
  void stop(Duration within);

 private:
  struct Engine;
  explicit HttpServer(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace tenure::daemon
