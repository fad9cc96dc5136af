# tenure_mutants(NAME [OPTIMISED] room…): the sources of these rooms as the objects NAME, in which each row of this
# folder's mutants.txt can be switched on; and the table of them as a source, ${NAME_table}. OPTIMISED: for tests that
# run many simulations: compiled as the rooms are.
#
# They are linked in the place of the rooms: objects come before libraries, and whole rooms have every symbol, so that
# the linker takes nothing of the originals.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(tenure_mutants name)
  cmake_parse_arguments(ARG "OPTIMISED" "" "" ${ARGN})
  set(rows ${CMAKE_CURRENT_SOURCE_DIR}/mutants.txt)
  set(generator ${PROJECT_SOURCE_DIR}/tests/mutants/generate.py)
  set(generate ${Python3_EXECUTABLE} ${generator} ${rows} ${PROJECT_SOURCE_DIR})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rows} ${generator})
  execute_process(COMMAND ${generate} files OUTPUT_VARIABLE mutated OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" mutated "${mutated}")

  set(sources)
  set(libraries)
  foreach(room ${ARG_UNPARSED_ARGUMENTS})
    get_target_property(of_room tenure_${room} SOURCES)
    list(APPEND sources ${of_room})
    get_target_property(of_room tenure_${room} LINK_LIBRARIES)
    list(APPEND libraries ${of_room})
  endforeach()
  foreach(file ${mutated})
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/${file})
    add_custom_command(OUTPUT ${copy} COMMAND ${generate} copy ${file} ${copy}
                       DEPENDS ${PROJECT_SOURCE_DIR}/${file} ${rows} ${generator} VERBATIM)
    list(TRANSFORM sources REPLACE "^${PROJECT_SOURCE_DIR}/${file}$" ${copy})
    if(NOT copy IN_LIST sources)
      message(FATAL_ERROR "${rows} names ${file}, which is in none of the rooms ${ARG_UNPARSED_ARGUMENTS}")
    endif()
  endforeach()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/table.cc)
  add_custom_command(OUTPUT ${table} COMMAND ${generate} table ${table} DEPENDS ${rows} ${generator} VERBATIM)
  set(${name}_table ${table} PARENT_SCOPE)

  add_library(${name} OBJECT ${sources})
  target_link_libraries(${name} PRIVATE ${libraries})
  if(NOT ARG_OPTIMISED)
    target_compile_options(${name} PRIVATE ${test_optimisation})
  endif()
  tenure_unity_build(${name})
endfunction()

# tenure_own_tests_notice(ROOM MUTANTS [BY_FOLDER] [REAL_TIME] [TESTS_OF test] [TESTS …] LIBRARIES …): the test
# ROOM_mutants_test runs the TESTS, which are sources, or all tests of another test program, with each of the MUTANTS,
# and one of them has to fail. BY_FOLDER: of these only the suites that are named after the folder of what the mutant is
# in: BlobLease… for blob_lease. REAL_TIME: as in tenure_test.
function(tenure_own_tests_notice room mutants)
  cmake_parse_arguments(ARG "BY_FOLDER;REAL_TIME" "TESTS_OF" "TESTS;LIBRARIES" ${ARGN})
  set(noticed ${PROJECT_SOURCE_DIR}/tests/mutants/noticed)
  set(tests ${room}_tests_with_mutants)
  add_executable(${tests} ${noticed}/main.cc ${ARG_TESTS})
  if(ARG_TESTS_OF)
    target_sources(${tests} PRIVATE $<TARGET_OBJECTS:${ARG_TESTS_OF}>)
  endif()
  target_link_libraries(${tests} PRIVATE ${mutants} ${ARG_LIBRARIES} GTest::gtest rapidcheck fmt::fmt)
  tenure_compile_test(${tests})

  add_executable(${room}_mutants_test ${noticed}/noticed_test.cc ${${mutants}_table})
  target_link_libraries(${room}_mutants_test PRIVATE tenure_options GTest::gtest GTest::gtest_main fmt::fmt)
  tenure_compile_test(${room}_mutants_test)
  target_compile_definitions(${room}_mutants_test PRIVATE TENURE_TESTS_WITH_MUTANTS="$<TARGET_FILE:${tests}>"
                                                          TENURE_TESTS_BY_FOLDER=$<BOOL:${ARG_BY_FOLDER}>)
  add_dependencies(${room}_mutants_test ${tests})
  set(labels long)
  if(ARG_REAL_TIME)
    string(PREPEND labels "real_time+")
  endif()
  gtest_discover_tests(${room}_mutants_test DISCOVERY_MODE PRE_TEST TEST_PREFIX "${room}." PROPERTIES LABELS "${labels}")
endfunction()
