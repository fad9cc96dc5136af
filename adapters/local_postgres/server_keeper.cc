#include "adapters/local_postgres/server_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/host_failure.h"

namespace tenure::local_postgres {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastWords = 1'000;

// $1: its programs. It makes the directory, so that whoever makes it also removes it, says where it is, and then does
// what it is told, a line at a time, and says how that ended.
constexpr const char* kScript = R"sh(
trap '' HUP INT TERM PIPE
unset PGOPTIONS PGSERVICE PGSSLMODE PGHOSTADDR PGAPPNAME
programs=$1
directory=$(mktemp -d "${TMPDIR:-/tmp}/tenure-postgres-XXXXXX") && cd "$directory" || exit 1
printf '%s\n' "$directory"
exec 3>&1 >log 2>&1
server=
is_running() {
  [ -n "$server" ] && grep -q "^PPid:.$$\$" "/proc/$server/status" && ! grep -q '^State:.Z' "/proc/$server/status"
}
children() { cat "/proc/$server/task/$server/children"; }
start_server() {
  setpriv --pdeathsig QUIT env "$@" "$programs/postgres" -D data 3>&- </dev/null &
  server=$!
}
forget_server() { wait "$server"; server=; }
pause_server() {
  is_running && kill -STOP "$server" || return 1
  while is_running && ! grep -q '^State:.[Tt]' "/proc/$server/status"; do sleep 0.001; done
  kill -STOP $(children)
}
resume_server() { is_running && kill -CONT $(children) "$server"; }
# Again and again: one that has just begun does not hear the first.
stop_server() {
  [ -n "$server" ] || return 0
  resume_server
  for signal in $(yes "$1" | head -n 500) QUIT; do
    is_running && kill "-$signal" "$server" || break
    sleep 0.02
  done
  while is_running && kill -QUIT "$server"; do sleep 0.02; done
  forget_server
}
# Its 56 bytes of System V memory are removed by nobody else; and so are its lock files, whose process id may be
# somebody else's when it begins again.
kill_server() {
  [ -n "$server" ] || return 0
  memory=$(sed -n '7s/.* //p' data/postmaster.pid)
  pause_server
  is_running && kill -KILL $(children) "$server"
  forget_server
  [ -z "$memory" ] || ipcrm -m "$memory"
  rm -f data/postmaster.pid .s.PGSQL.*
}
while read -r order; do
  eval "$order"
  echo "$?" >&3
done
stop_server QUIT
cd /
rm -rf -- "$directory"
)sh";

// Postgres refuses to run as root.
std::optional<passwd> other_user(const std::string& asker) {
  if (geteuid() != 0) return std::nullopt;
  for (const char* name : {"postgres", "nobody"})
    if (const passwd* const user = getpwnam(name)) return *user;
  throw HostFailure(asker + ": Postgres does not run as root, and there is no user postgres or nobody");
}

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text)
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  return quoted + "'";
}

}  // namespace

ServerKeeper::ServerKeeper(const std::string& programs, std::string asker) : asker_(std::move(asker)) {
  for (const char* program : {"initdb", "postgres"})
    if (access((programs + "/" + program).c_str(), X_OK) != 0)
      throw HostFailure(
          fmt::format("{} needs Postgres 15, and there is no {}/{}; on Debian 12: apt install postgresql-15",
                      asker_, programs, program));
  try {
    start_shell(programs);
  } catch (const HostFailure&) {
    release();
    throw;
  }
}

void ServerKeeper::start_shell(const std::string& programs) {
  std::vector<std::string> command;
  const std::optional<passwd> user = other_user(asker_);
  if (user)
    command = {"setpriv", fmt::format("--reuid={}", user->pw_uid), fmt::format("--regid={}", user->pw_gid),
               "--clear-groups"};
  command.insert(command.end(), {"sh", "-c", kScript, "tenure-postgres", programs});
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);

  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw HostFailure(fmt::format("{}: cannot make a pair of sockets: {}", asker_, std::strerror(errno)));
  line_ = ends[0];
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);  // a Ctrl-C is ours alone
  const int why = posix_spawnp(&shell_, arguments.front(), &files, &how, arguments.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (why != 0)
    throw HostFailure(fmt::format("{}: cannot run {}: {}", asker_, command.front(), std::strerror(why)));
  directory_ = read_line();
  if (directory_.empty())
    throw HostFailure(fmt::format("{}: cannot make a directory in {}{}", asker_,
                                  fs::temp_directory_path().string(),
                                  user ? ", as the user that Postgres runs as" : ""));
}

std::string ServerKeeper::read_line() const {
  std::string line;
  for (char letter = 0; read(line_, &letter, 1) == 1 && letter != '\n';) line += letter;
  return line;
}

ServerKeeper::~ServerKeeper() { release(); }

void ServerKeeper::release() {
  if (line_ >= 0) close(std::exchange(line_, -1));
  int status = 0;
  if (shell_ != 0) waitpid(std::exchange(shell_, 0), &status, 0);
}

bool ServerKeeper::give_to_server(int file) const {
  const std::optional<passwd> user = other_user(asker_);
  return !user || fchown(file, user->pw_uid, user->pw_gid) == 0;
}

bool ServerKeeper::run(const std::string& line) {
  const std::string order = line + "\n";
  for (std::size_t done = 0; done < order.size();) {
    const ssize_t count = send(line_, order.data() + done, order.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return read_line() == "0";
}

bool ServerKeeper::write(const std::string& file, const std::vector<std::string>& lines) {
  std::string order = "printf '%s\\n'";
  for (const std::string& line : lines) order += " " + quoted(line);
  return run(order + " >" + quoted(file));
}

void ServerKeeper::start(const std::vector<std::string>& environment) {
  std::string order = "start_server";
  for (const std::string& variable : environment) order += " " + quoted(variable);
  run(order);
}

void ServerKeeper::stop(const std::string& signal) { run("stop_server " + signal); }
void ServerKeeper::kill_all() { run("kill_server"); }
void ServerKeeper::pause() { run("pause_server"); }
void ServerKeeper::resume() { run("resume_server"); }
bool ServerKeeper::is_running() { return run("is_running"); }

std::string ServerKeeper::last_words() const {
  std::ostringstream text;
  text << std::ifstream(directory_ + "/log").rdbuf();
  const std::string words = text.str();
  return words.size() <= kLastWords ? words : words.substr(words.size() - kLastWords);
}

}  // namespace tenure::local_postgres
