#include "adapters/sql_postgres/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include "adapters/process/spawner.h"
#include "core/base/host_failure.h"

namespace tenure::sql_postgres {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastWords = 1'000;

// $1: its programs, $2: the directory. The setting of a server that nobody else uses and nobody keeps: nothing reaches
// the disk on purpose, and nothing happens by itself at a time that we do not choose.
constexpr const char* kScript = R"sh(
cd "$2" || exit 1
trap '' HUP INT TERM
server=
if "$1/initdb" -D data -U tenure -A trust -E UTF8 --locale=C --no-sync --no-instructions --wal-segsize=1 >log 2>&1; then
  cat >data/postgresql.conf <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$2'
port = 5432
max_connections = 120
shared_buffers = 16MB
shared_memory_type = mmap
dynamic_shared_memory_type = mmap
huge_pages = off
fsync = off
synchronous_commit = off
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
  LD_PRELOAD="$2/clock.so" TENURE_CLOCK_PAGE="$2/page" "$1/postgres" -D data >>log 2>&1 &
  server=$!
else
  : >failed
fi
read -r end
if [ -n "$server" ]; then
  kill -QUIT "$server"
  wait "$server"
fi
cd /
rm -rf -- "$2"
)sh";

std::string found_clock(const std::string& told) {
  if (!told.empty()) return told;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  constexpr const char* kName = "libtenure_postgres_clock.so";
  for (const fs::path& path : {program / kName, program / ".." / "lib" / "tenure" / kName})
    if (fs::exists(path, none)) return path.string();
  throw HostFailure(
      fmt::format("engine = \"postgres\" needs {} beside this program ({}), or in ../lib/tenure from there", kName,
                  program.string()));
}

// Postgres refuses to run as root.
std::optional<passwd> other_user() {
  if (geteuid() != 0) return std::nullopt;
  for (const char* name : {"postgres", "nobody"})
    if (const passwd* const user = getpwnam(name)) return *user;
  throw HostFailure("engine = \"postgres\": Postgres does not run as root, and there is no user postgres or nobody");
}

[[noreturn]] void cannot(const std::string& what, int why) {
  throw HostFailure(fmt::format("engine = \"postgres\": cannot {}: {}", what, std::strerror(why)));
}

}  // namespace

Server::Keeper::Keeper(const Installation& installation) {
  for (const char* program : {"initdb", "postgres"})
    if (access((installation.programs + "/" + program).c_str(), X_OK) != 0)
      throw HostFailure(fmt::format(
          "engine = \"postgres\" needs Postgres 15, and there is no {}/{}; on Debian 12: apt install postgresql-15",
          installation.programs, program));
  make_directory(found_clock(installation.clock));
  start(installation.programs);
}

void Server::Keeper::make_directory(const std::string& clock) {
  std::error_code failed;
  const fs::path base = fs::temp_directory_path(failed);
  std::string path = (base / "tenure-postgres-XXXXXX").string();
  if (failed || mkdtemp(path.data()) == nullptr) cannot("make a directory " + path, errno);
  directory_ = path;
  fs::copy_file(clock, directory_ + "/clock.so", failed);
  if (failed) cannot("copy " + clock, failed.value());
  const process::Descriptor file(open((directory_ + "/page").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.open() || ftruncate(file.get(), sizeof(TenureClockPage)) != 0) cannot("make the clock's page", errno);
  void* const mapped =
      mmap(nullptr, sizeof(TenureClockPage), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) cannot("map the clock's page", errno);
  page_ = static_cast<TenureClockPage*>(mapped);
}

void Server::Keeper::start(const std::string& programs) {
  // The kernel would kill the shell with us, and it has the directory to remove.
  std::vector<std::string> command = {"setpriv", "--pdeathsig", "clear"};
  if (const std::optional<passwd> user = other_user()) {
    for (const std::string& each : {directory_, directory_ + "/page", directory_ + "/clock.so"})
      if (chown(each.c_str(), user->pw_uid, user->pw_gid) != 0) cannot("give away " + each, errno);
    command.insert(command.end(), {fmt::format("--reuid={}", user->pw_uid), fmt::format("--regid={}", user->pw_gid),
                                   "--clear-groups"});
  }
  command.insert(command.end(), {"sh", "-c", kScript, "tenure-postgres", programs, directory_});
  process::Ends pipe = process::pipe_to_them();
  process::TheirEnds theirs;
  theirs.in = std::move(pipe.theirs);
  theirs.out = process::Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
  theirs.err = process::Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
  std::string problem;
  shell_ = process::spawn({command, "/"}, theirs, problem);
  if (shell_ == 0) throw HostFailure("engine = \"postgres\": cannot run setpriv and sh: " + problem);
  hold_ = std::move(pipe.ours);
}

Server::Keeper::~Keeper() {
  hold_.close();
  if (shell_ != 0) {
    int status = 0;
    waitpid(shell_, &status, 0);
  }
  if (page_ != nullptr) munmap(page_, sizeof(TenureClockPage));
  std::error_code gone;
  if (!directory_.empty()) fs::remove_all(directory_, gone);
}

bool Server::Keeper::failed() const {
  std::error_code none;
  return fs::exists(directory_ + "/failed", none);
}

std::string Server::Keeper::last_words() const {
  std::ostringstream text;
  text << std::ifstream(directory_ + "/log").rdbuf();
  const std::string words = text.str();
  return words.size() <= kLastWords ? words : words.substr(words.size() - kLastWords);
}

}  // namespace tenure::sql_postgres
