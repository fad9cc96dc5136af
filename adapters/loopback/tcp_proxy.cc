#include "adapters/loopback/tcp_proxy.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/base/hash.h"
#include "core/base/host_failure.h"

namespace tenure::loopback {
namespace {

// Keys of events: those of connections are twice their number, and 1 more for the server's side.
constexpr std::uint64_t kAlarm = 0;
constexpr std::uint64_t kListener = 1;
constexpr std::uint64_t kFirstConnection = 1;

constexpr std::uint32_t kConnectionEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

constexpr int kEventsAtOnce = 256;
constexpr int kAcceptedAtOnce = 64;
constexpr int kReadsAtOnce = 16;  // of one direction, before others have theirs
constexpr Duration kOutOfFilesPause = Duration::millis(50);
constexpr Duration kConnectAgain = Duration::millis(10);

MonoTime now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return MonoTime{} + Duration::nanos(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

Socket made(int number, const char* what) {
  if (number < 0) throw HostFailure(fmt::format("cannot make {}: {}", what, std::strerror(errno)));
  return Socket(number);
}

}  // namespace

TcpProxy::Connection::Connection(std::uint64_t its_number, std::uint64_t seed)
    : number(its_number),
      flows{Flow(Hasher(seed).add(number).add(Direction::to_server).value()),
            Flow(Hasher(seed).add(number).add(Direction::to_client).value())} {}

TcpProxy::TcpProxy(ServerAddress server, std::uint64_t seed)
    : seed_(seed),
      events_(made(epoll_create1(EPOLL_CLOEXEC), "an event queue")),
      alarm_(made(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "an alarm")),
      server_(std::move(server)),
      listener_(port_.listen()) {
  if (!watch(alarm_, kAlarm, EPOLLIN) || !watch(listener_, kListener, EPOLLIN))
    throw HostFailure(fmt::format("cannot watch sockets: {}", std::strerror(errno)));
  thread_ = std::thread([this] { work(); });
}

TcpProxy::~TcpProxy() {
  {
    const std::lock_guard guard(mutex_);
    ended_ = true;
  }
  wake();
  thread_.join();
}

bool TcpProxy::watch(const Socket& socket, std::uint64_t key, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = key;
  return epoll_ctl(events_.number(), EPOLL_CTL_ADD, socket.number(), &event) == 0;
}

void TcpProxy::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = ::write(alarm_.number(), &one, sizeof one);
}

void TcpProxy::set(Direction direction, const DirectionRule& rule) {
  {
    const std::lock_guard guard(mutex_);
    Wire& its = wire(direction);
    its = {.rule = rule, .busy_until = now()};
    for (auto& [number, connection] : connections_) {
      Flow& flow = connection.flows[static_cast<std::size_t>(direction)];
      if (rule.swallow) swallowed(direction) += flow.swallow();
      flow.follow(rule, now());
      unfinished_.insert(number);
    }
  }
  wake();
}

void TcpProxy::set_both(const DirectionRule& rule) {
  set(Direction::to_server, rule);
  set(Direction::to_client, rule);
}

DirectionRule TcpProxy::rule(Direction direction) const {
  const std::lock_guard guard(mutex_);
  return wire(direction).rule;
}

void TcpProxy::set_server(ServerAddress server) {
  const std::lock_guard guard(mutex_);
  server_ = std::move(server);
}

void TcpProxy::refuse(bool refused) {
  {
    const std::lock_guard guard(mutex_);
    if (refused == refused_) return;
    if (refused)
      listener_.close();
    else
      listen_again();
    refused_ = refused;
  }
  wake();
}

void TcpProxy::cut_all() {
  const std::lock_guard guard(mutex_);
  counts_.cut += connections_.size();
  while (!connections_.empty()) end(connections_.begin()->first, true);
}

ProxyCounts TcpProxy::counts() const {
  const std::lock_guard guard(mutex_);
  ProxyCounts counts = counts_;
  counts.open = connections_.size();
  return counts;
}

void TcpProxy::work() {
  std::array<epoll_event, kEventsAtOnce> happened{};
  int timeout = -1;
  for (;;) {
    const int count = epoll_wait(events_.number(), happened.data(), kEventsAtOnce, timeout);
    const std::lock_guard guard(mutex_);
    if (ended_) return;
    for (int i = 0; i < count; ++i)
      handle(happened[static_cast<std::size_t>(i)].data.u64, happened[static_cast<std::size_t>(i)].events);
    const MonoTime by = now();
    if (accepts_again_ <= by) {
      accepts_again_ = MonoTime::max();
      if (listener_ && !watch(listener_, kListener, EPOLLIN)) accepts_again_ = by + kOutOfFilesPause;
    }
    while (!timers_.empty() && timers_.top().first <= by) {
      const auto [time, number] = timers_.top();
      timers_.pop();
      const auto found = connections_.find(number);
      if (found == connections_.end() || found->second.timer != time) continue;
      found->second.timer = MonoTime::max();
      unfinished_.insert(number);
    }
    for (const std::uint64_t number : std::exchange(unfinished_, {})) serve(number);
    timeout = patience();
  }
}

// In milliseconds, for epoll_wait.
int TcpProxy::patience() const {
  if (!unfinished_.empty()) return 0;
  MonoTime next = accepts_again_;
  if (!timers_.empty()) next = std::min(next, timers_.top().first);
  if (next == MonoTime::max()) return -1;
  const std::int64_t wait = std::max<std::int64_t>((next - now()).ns(), 0);
  return static_cast<int>(std::min<std::int64_t>((wait + 999'999) / 1'000'000, 60'000));
}

void TcpProxy::handle(std::uint64_t key, std::uint32_t events) {
  if (key == kAlarm) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t heard = ::read(alarm_.number(), &count, sizeof count);
    return;
  }
  if (key == kListener) return accept_clients();
  const auto found = connections_.find(key / 2);
  if (found == connections_.end()) return;
  Side& side = found->second.sides[key % 2];
  const bool is_broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  if ((events & (EPOLLIN | EPOLLRDHUP)) != 0 || is_broken) side.readable = true;
  if ((events & EPOLLOUT) != 0 || is_broken) side.writable = true;
  unfinished_.insert(key / 2);
}

void TcpProxy::accept_clients() {
  for (int i = 0; i < kAcceptedAtOnce && listener_; ++i) {
    Socket client = accept_from(listener_);
    if (!client) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) pause_accepting();
      return;
    }
    const std::uint64_t number = kFirstConnection + counts_.accepted++;
    Connection& connection = connections_
                                 .emplace(std::piecewise_construct, std::forward_as_tuple(number),
                                          std::forward_as_tuple(number, seed_))
                                 .first->second;
    connection.sides[kClient].socket = std::move(client);
    if (watch(connection.sides[kClient].socket, number * 2, kConnectionEvents))
      connect(connection);
    else
      give_up(connection);
  }
}

// Clients wait in the backlog meanwhile. Without a pause the listener would wake us again at once.
void TcpProxy::pause_accepting() {
  if (accepts_again_ != MonoTime::max() || !listener_) return;
  epoll_ctl(events_.number(), EPOLL_CTL_DEL, listener_.number(), nullptr);
  accepts_again_ = now() + kOutOfFilesPause;
}

void TcpProxy::listen_again() {
  listener_ = port_.listen();
  accepts_again_ = MonoTime::max();
  if (!watch(listener_, kListener, EPOLLIN)) accepts_again_ = now() + kOutOfFilesPause;
}

void TcpProxy::connect(Connection& connection) {
  Side& side = connection.sides[kServer];
  switch (begin_connecting(server_, side.socket)) {
    case Connecting::begun:
      if (watch(side.socket, connection.number * 2 + 1, kConnectionEvents)) return;
      break;
    case Connecting::later:
      connection.timer = now() + kConnectAgain;
      return timers_.push({connection.timer, connection.number});
    case Connecting::out_of_files: pause_accepting(); break;
    case Connecting::refused: break;
  }
  give_up(connection);
}

void TcpProxy::give_up(const Connection& connection) {
  ++counts_.unreachable;
  end(connection.number, true);
}

void TcpProxy::serve(std::uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  Side& server = connection.sides[kServer];
  if (!server.socket) return connect(connection);
  if (!connection.connected && server.writable) {
    connection.connected = is_connected(server.socket);
    if (!connection.connected) return give_up(connection);
  }
  for (const Direction direction : {Direction::to_server, Direction::to_client}) {
    if (!read(connection, direction)) {
      ++counts_.cut;
      return end(number, true);
    }
    write(connection, direction);
  }
  if (is_over(connection)) return end(number, connection.sides[kClient].broken || server.broken);
  set_timer(connection);
}

bool TcpProxy::read(Connection& connection, Direction direction) {
  const bool upwards = direction == Direction::to_server;
  Side& source = connection.sides[upwards ? kClient : kServer];
  Flow& flow = connection.flows[static_cast<std::size_t>(direction)];
  Wire& its = wire(direction);
  if (!connection.connected && !upwards) return true;
  std::array<char, 64 * 1024> buffer;
  for (int i = 0; i < kReadsAtOnce && source.readable && !source.broken && !flow.has_ended(); ++i) {
    const std::size_t room = std::min(flow.room(its.rule), buffer.size());
    if (room == 0) return true;
    const ssize_t count = recv(source.socket.number(), buffer.data(), room, 0);
    if (count < 0) {
      source.readable = false;
      if (errno != EAGAIN && errno != EINTR) source.broken = true;
      if (errno == EINTR) source.readable = true;
    } else if (count == 0) {
      flow.end(its, now());
    } else {
      const auto size = static_cast<std::size_t>(count);
      const Flow::Taken taken = flow.take({buffer.data(), size}, its, now());
      if (taken == Flow::Taken::cut) {
        const Side& sink = connection.sides[upwards ? kServer : kClient];
        const std::size_t tail = its.rule.cut_tail;
        if (tail > 0 && size > tail && connection.connected)
          send(sink.socket.number(), buffer.data(), size - tail, MSG_NOSIGNAL);
        return false;
      }
      if (taken == Flow::Taken::swallowed) swallowed(direction) += size;
    }
  }
  if (source.readable && !source.broken && !flow.has_ended() && flow.room(its.rule) > 0)
    unfinished_.insert(connection.number);
  return true;
}

void TcpProxy::write(Connection& connection, Direction direction) {
  const bool upwards = direction == Direction::to_server;
  Side& sink = connection.sides[upwards ? kServer : kClient];
  Flow& flow = connection.flows[static_cast<std::size_t>(direction)];
  const DirectionRule& rule = wire(direction).rule;
  if (!connection.connected) return;
  const bool was_full = flow.room(rule) == 0;
  while (sink.writable && !sink.broken) {
    const std::string_view bytes = flow.ready(rule, now());
    if (bytes.empty()) break;
    const ssize_t count = send(sink.socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) {
      sink.writable = false;
    } else if (count < 0 && errno != EINTR) {
      sink.broken = true;
    } else if (count > 0) {
      flow.written(static_cast<std::size_t>(count));
      (upwards ? counts_.passed_to_server : counts_.passed_to_client) += static_cast<std::uint64_t>(count);
    }
  }
  if (sink.broken) swallowed(direction) += flow.swallow();
  if (was_full && flow.room(rule) > 0) unfinished_.insert(connection.number);
  if (!flow.may_pass_end_on(rule, now())) return;
  shutdown(sink.socket.number(), SHUT_WR);
  flow.end_is_passed_on();
}

bool TcpProxy::is_over(const Connection& connection) const {
  if (connection.flows[0].is_over() && connection.flows[1].is_over()) return true;
  // What a broken side has to say travels in its own direction (I4).
  const auto tells = [&](Party party, Direction away) {
    const DirectionRule& rule = wire(away).rule;
    return connection.sides[party].broken && !rule.hang && !rule.swallow;
  };
  return tells(kClient, Direction::to_server) || tells(kServer, Direction::to_client);
}

void TcpProxy::set_timer(Connection& connection) {
  const MonoTime by = now();
  for (const Direction direction : {Direction::to_server, Direction::to_client}) {
    const Flow& flow = connection.flows[static_cast<std::size_t>(direction)];
    const std::optional<MonoTime> next = flow.next_departure(wire(direction).rule);
    if (!next) continue;
    if (*next <= by) {
      // Its time came after we had looked; or it waits for the sink, which will tell.
      const Side& sink = connection.sides[direction == Direction::to_server ? kServer : kClient];
      if (connection.connected && sink.writable && !sink.broken) unfinished_.insert(connection.number);
    } else if (*next < connection.timer) {
      connection.timer = *next;
      timers_.push({*next, connection.number});
    }
  }
}

void TcpProxy::end(std::uint64_t number, bool at_once) {
  const auto found = connections_.find(number);
  if (at_once)
    for (Side& side : found->second.sides) side.socket.close_at_once();
  connections_.erase(found);
}

}  // namespace tenure::loopback
