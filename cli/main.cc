// The program `tenure`. Errors that nobody foresaw end here.

#include <signal.h>

#include <exception>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/terminal/signals.h"
#include "core/base/host_failure.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/output_file.h"

int main(int argc, char** argv) {
  using tenure::cli::ExitCode;
  // A reader that goes away (`| head`) ends the program without a word, but not before its files are written.
  signal(SIGPIPE, SIG_IGN);
  tenure::lab::make_checks_throw();
  tenure::cli::Streams streams = tenure::cli::standard_streams();
  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "help") {  // `help COMMAND` is `COMMAND --help`
      arguments.erase(arguments.begin());
      arguments.emplace_back("--help");
    }
    ExitCode code = tenure::cli::run_app(arguments, streams);
    tenure::cli::write_results(streams, {});
    if (!streams.out) {
      tenure::cli::leave_without_a_reader(streams);
      tenure::cli::print_error(streams,
                               "cannot write the results: " + tenure::lab::system_reason(streams.out_error));
      code = tenure::cli::worse(code, ExitCode::io_error);
    }
    return static_cast<int>(code);
  } catch (const tenure::HostFailure& failure) {
    tenure::cli::print_error(streams, failure.what());
    return static_cast<int>(ExitCode::internal_error);
  } catch (const std::exception& error) {
    tenure::cli::print_error(streams, std::string("internal error: ") + error.what());
    return static_cast<int>(ExitCode::internal_error);
  }
}
