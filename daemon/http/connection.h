// One client's connection; internal to this room.
//
// Thread rule: its own strand; close_when_idle() may be called from any thread.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "daemon/http/answer_room.h"
#include "daemon/http/server.h"

namespace tenure::daemon {

class ConnectionStream;

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  // `released` is called when the connection is over.
  HttpConnection(boost::asio::ip::tcp::socket socket, const HttpOptions& options, const HttpHandler& handler,
                 AnswerRoom& room, std::function<void()> released);
  ~HttpConnection();

  void begin();
  // Says that there are too many connections, and ends.
  void refuse();
  // Ends now if no request is under way, else after its answer. Streams end at once.
  void close_when_idle();

 private:
  friend class ConnectionStream;
  using ErrorCode = boost::beast::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  void read_header();
  void header_read(ErrorCode error);
  void read_body();
  void body_read(ErrorCode error);
  void not_readable(ErrorCode error);
  void answer();
  void watch_client(std::uint64_t turn);
  void look_at_client();
  void respond(std::uint64_t turn, HttpResponse response);
  void write(HttpResponse response, bool keep);
  void begin_stream(HttpResponse response);
  void watch_for_end();
  // Lets the client read the answer before the connection is gone: unread bytes would make the system reset it.
  void linger(std::size_t read);
  void close();
  HttpRequest take_request();
  void tell(const HttpResponse& response) const;

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  const HttpOptions& options_;
  const HttpHandler& handler_;
  AnswerRoom& room_;
  const std::function<void()> released_;
  boost::asio::steady_timer patience_;
  std::optional<Parser> parser_;
  std::shared_ptr<ConnectionStream> streaming_;
  std::uint64_t turn_ = 0;  // of the request under way
  std::string method_;      // likewise; empty: not read yet
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();  // likewise: it was read
  std::shared_ptr<std::atomic<bool>> given_up_ = std::make_shared<std::atomic<bool>>(false);  // likewise
  bool answering_ = false;  // its handler has been called, and has not answered
  bool is_head_ = false;    // it wants no body
  bool keep_alive_ = true;  // it allows another one after it
  unsigned version_ = 11;   // of HTTP
  bool idle_ = false;       // nothing of a request has been read
  std::atomic<bool> closing_ = false;
};

}  // namespace tenure::daemon
