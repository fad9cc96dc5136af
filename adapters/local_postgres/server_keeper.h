// A directory for a Postgres server, and the shell that keeps both until we end.
//
//   I1. Neither outlives us. The shell is the server's parent, waits for the end of a connection that we hold open, and
//       then ends the server and removes the directory. So it also does when we are killed; and when the shell is
//       killed, the kernel ends the server.
//   I2. It never runs as root: then it runs as the user postgres, or nobody.
//   I3. Only processes of this server are signalled. Before each signal the shell looks whether it is the postmaster's
//       parent; and it lists the postmaster's children while that is stopped and cannot be waiting for them.
//
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

namespace tenure::local_postgres {

class ServerKeeper {
 public:
  // `programs`: the folder of Postgres' own. `asker` begins messages, such as `engine = "postgres"`.
  // Throws HostFailure.
  ServerKeeper(const std::string& programs, std::string asker);
  ~ServerKeeper();
  ServerKeeper(const ServerKeeper&) = delete;
  ServerKeeper& operator=(const ServerKeeper&) = delete;

  const std::string& asker() const { return asker_; }
  // It has the log, and is to have the server's data in `data`.
  const std::string& directory() const { return directory_; }
  // The file becomes one of the server's user. False: errno says why not.
  bool give_to_server(int file) const;

  // A line for the shell, in the directory, with $programs set. Waits until it is done; false: it failed.
  bool run(const std::string& line);
  // The lines of a file in the directory.
  bool write(const std::string& file, const std::vector<std::string>& lines);

  // Begins the server on `data`, with these variables in its environment. It may not accept connections yet.
  void start(const std::vector<std::string>& environment = {});
  // Sends a signal that ends it, until it has ended: "INT" is fast, "QUIT" immediate.
  void stop(const std::string& signal);
  void kill_all();
  void pause();
  void resume();
  bool is_running();
  // What the log says last.
  std::string last_words() const;

 private:
  void start_shell(const std::string& programs);
  std::string read_line() const;
  void release();

  std::string asker_;
  std::string directory_;
  int line_ = -1;  // to the shell and back; the server ends when this is closed
  int shell_ = 0;
};

}  // namespace tenure::local_postgres
