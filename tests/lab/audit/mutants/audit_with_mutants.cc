// `tenure` with one planted bug in the audit: `audit_with_mutants NAME audit FILE…`. Without arguments, it prints the
// names.
#include <iostream>
#include <string>
#include <vector>

#include "cli/app.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"

int main(int argc, char** argv) {
  const auto mutants = tenure::mutant::mutants();
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (argc < 2) std::cout << mutants[i].name << "\n";
    if (argc >= 2 && mutants[i].name == argv[1]) tenure::mutant::of_process = static_cast<int>(i);
  }
  if (argc < 2) return 0;
  tenure::cli::Streams streams = tenure::cli::standard_streams();
  const auto code = tenure::cli::run_app(std::vector<std::string>(argv + 2, argv + argc), streams);
  streams.out.flush();
  return static_cast<int>(code);
}
