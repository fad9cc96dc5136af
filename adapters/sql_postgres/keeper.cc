#include "adapters/sql_postgres/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/host_failure.h"

namespace tenure::sql_postgres {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastWords = 1'000;

// $1: its programs. It makes the directory, so that whoever makes it also removes it, says where it is, and goes on
// once we have put our files there. The setting is that of a server that nobody else uses and nobody keeps: nothing
// reaches the disk on purpose, and nothing happens by itself at a time that we do not choose.
constexpr const char* kScript = R"sh(
trap '' HUP INT TERM
directory=$(mktemp -d "${TMPDIR:-/tmp}/tenure-postgres-XXXXXX") && cd "$directory" || exit 1
printf '%s\n' "$directory"
exec >log 2>&1
server=
if ! read -r go; then
  :
elif "$1/initdb" -D data -U tenure -A trust -E UTF8 --locale=C --no-sync --no-instructions --wal-segsize=1; then
  cat >data/postgresql.conf <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$directory'
port = 5432
max_connections = 120
shared_buffers = 16MB
shared_memory_type = mmap
dynamic_shared_memory_type = mmap
huge_pages = off
fsync = off
wal_writer_delay = 10s
bgwriter_delay = 10s
max_logical_replication_workers = 0
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
checkpoint_timeout = 1d
max_wal_size = 1GB
bgwriter_lru_maxpages = 0
autovacuum = off
track_counts = off
jit = off
max_parallel_workers = 0
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
synchronize_seqscans = off
update_process_title = off
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_min_messages = fatal
restart_after_crash = off
SETTINGS
  LD_PRELOAD="$directory/clock.so" TENURE_CLOCK_PAGE="$directory/page" "$1/postgres" -D data &
  server=$!
else
  : >failed
fi
read -r end
if [ -n "$server" ]; then
  # Again and again: one that has just begun does not hear the first.
  while kill -QUIT "$server" && ! grep -q "^State:.Z" "/proc/$server/status"; do sleep 0.02; done
  wait "$server"
fi
cd /
rm -rf -- "$directory"
)sh";

std::string found_clock(const std::string& told) {
  if (!told.empty()) return told;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  constexpr const char* kName = "libtenure_postgres_clock.so";
  for (const fs::path& path : {program / kName, program / ".." / "lib" / "tenure" / kName})
    if (fs::exists(path, none)) return path.string();
  throw HostFailure(
      fmt::format("engine = \"postgres\" needs {} beside this program ({}), or in ../lib/tenure from there",
                  kName, program.string()));
}

// Postgres refuses to run as root.
std::optional<passwd> other_user() {
  if (geteuid() != 0) return std::nullopt;
  for (const char* name : {"postgres", "nobody"})
    if (const passwd* const user = getpwnam(name)) return *user;
  throw HostFailure(
      "engine = \"postgres\": Postgres does not run as root, and there is no user postgres or nobody");
}

[[noreturn]] void cannot(const std::string& what, int why) {
  throw HostFailure(fmt::format("engine = \"postgres\": cannot {}: {}", what, std::strerror(why)));
}

struct Pipe {
  Pipe() {
    int ends[2] = {};
    if (pipe2(ends, O_CLOEXEC) != 0) cannot("make a pipe", errno);
    exit = ends[0];
    entrance = ends[1];
  }
  int exit = -1;
  int entrance = -1;
};

}  // namespace

ServerKeeper::ServerKeeper(const Installation& installation) {
  for (const char* program : {"initdb", "postgres"})
    if (access((installation.programs + "/" + program).c_str(), X_OK) != 0)
      throw HostFailure(
          fmt::format("engine = \"postgres\" needs Postgres 15, and there is no {}/{}; on Debian 12: apt "
                      "install postgresql-15",
                      installation.programs, program));
  const std::string clock = found_clock(installation.clock);
  try {
    start(installation.programs);
    fill_directory(clock);
    if (write(hold_, "go\n", 3) != 3) cannot("start the server", errno);
  } catch (const HostFailure&) {
    release();
    throw;
  }
}

void ServerKeeper::start(const std::string& programs) {
  std::vector<std::string> command;
  if (const std::optional<passwd> user = other_user())
    command = {"setpriv", fmt::format("--reuid={}", user->pw_uid), fmt::format("--regid={}", user->pw_gid),
               "--clear-groups"};
  command.insert(command.end(), {"sh", "-c", kScript, "tenure-postgres", programs});
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);

  const Pipe in;
  const Pipe out;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.exit, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.entrance, STDOUT_FILENO);
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
  close(in.exit);
  close(out.entrance);
  hold_ = in.entrance;
  if (why != 0) {
    close(out.exit);
    cannot("run " + command.front(), why);
  }
  directory_ = read_line(out.exit);
  close(out.exit);
  if (directory_.empty())
    throw HostFailure(fmt::format("engine = \"postgres\": cannot make a directory in {}{}",
                                  fs::temp_directory_path().string(),
                                  geteuid() == 0 ? ", as the user that Postgres runs as" : ""));
}

std::string ServerKeeper::read_line(int from) const {
  std::string line;
  for (char letter = 0; read(from, &letter, 1) == 1 && letter != '\n';) line += letter;
  return line;
}

void ServerKeeper::fill_directory(const std::string& clock) {
  std::error_code failed;
  fs::copy_file(clock, directory_ + "/clock.so", failed);
  if (failed) cannot("copy " + clock, failed.value());
  const int file = open((directory_ + "/page").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) cannot("make the clock's page", errno);
  const std::optional<passwd> user = other_user();
  const bool made = ftruncate(file, sizeof(TenureClockPage)) == 0 &&
                    (!user || fchown(file, user->pw_uid, user->pw_gid) == 0);
  void* const mapped =
      made ? mmap(nullptr, sizeof(TenureClockPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const int why = errno;
  close(file);
  if (mapped == MAP_FAILED) cannot("make the clock's page", why);
  page_ = static_cast<TenureClockPage*>(mapped);
}

ServerKeeper::~ServerKeeper() { release(); }

void ServerKeeper::release() {
  if (hold_ >= 0) close(std::exchange(hold_, -1));
  int status = 0;
  if (shell_ != 0) waitpid(std::exchange(shell_, 0), &status, 0);
  if (page_ != nullptr) munmap(std::exchange(page_, nullptr), sizeof(TenureClockPage));
}

bool ServerKeeper::failed() const {
  std::error_code none;
  return fs::exists(directory_ + "/failed", none);
}

std::string ServerKeeper::last_words() const {
  std::ostringstream text;
  text << std::ifstream(directory_ + "/log").rdbuf();
  const std::string words = text.str();
  return words.size() <= kLastWords ? words : words.substr(words.size() - kLastWords);
}

}  // namespace tenure::sql_postgres
