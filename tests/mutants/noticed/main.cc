// Tests of a room with one planted bug: `ROOM_tests_with_mutants NUMBER [gtest's options]`, -1 for none.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/mutants/switch.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return EXIT_FAILURE;
  tenure::mutant::of_process = std::atoi(argv[1]);
  return RUN_ALL_TESTS();
}
