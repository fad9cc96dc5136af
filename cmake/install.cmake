# What `cmake --install` puts where, and what find_package(tenure COMPONENTS …) finds there.
#
#   include/tenure/          the headers, each below its room's folder, as the tree includes them
#   lib/, lib/cmake/tenure/  static libraries, and the package: tenure::core, tenure::sim,
#                            tenure::format, tenure::lab, tenure::rapidcheck, tenure::tzdb, tenure::runtime, tenure::sqlite, tenure::postgres
#   bin/tenure, bin/tenured, lib/tenure/ (the clock of a Postgres of ours), share/tenure/scenarios/, share/tenure/python/ and share/tenure/go/ (for designs
#   in Python and in Go)
#
# A component is made of whole rooms: those of its folder that no component before it has. Rooms stay targets of their own, so that the arrows between
# them hold for the package too; a component's target links them all.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)  # what is not for those who run the programs (package.cmake)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tenure)

# tenure_component(NAME FOLDER): the rooms below a folder, with their headers.
function(tenure_component name folder)
  get_property(all GLOBAL PROPERTY TENURE_ROOMS)
  set(rooms)
  foreach(room IN LISTS all)
    get_target_property(of ${room} TENURE_FOLDER)
    get_target_property(taken ${room} EXPORT_NAME)
    if(of MATCHES "^${folder}(/|$)" AND NOT taken)
      string(REPLACE tenure_ "" short ${room})
      set_target_properties(${room} PROPERTIES EXPORT_NAME room_${short})
      list(APPEND rooms ${room})
    endif()
  endforeach()
  if(NOT rooms)
    return()
  endif()
  add_library(tenure_component_${name} INTERFACE)
  target_link_libraries(tenure_component_${name} INTERFACE ${rooms})
  set_target_properties(tenure_component_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS tenure_component_${name} ${rooms} ${ARGN} EXPORT tenure-${name})
  install(EXPORT tenure-${name} NAMESPACE tenure:: DESTINATION ${package_folder})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/tenure/${folder}/.. FILES_MATCHING PATTERN "*.h")
endfunction()

set_target_properties(tenure_options PROPERTIES EXPORT_NAME options)
tenure_component(core core tenure_options)
tenure_component(tzdb adapters/tzdb)
tenure_component(store adapters/store)  # what the next three have in common; nobody asks for it by name
tenure_component(runtime adapters/runtime)
tenure_component(sqlite adapters/sqlite)
tenure_component(postgres adapters/postgres)
tenure_component(sim sim)
tenure_component(format format)
tenure_component(rapidcheck lab/testing)  # before the rest of lab: not everybody who uses that has RapidCheck
tenure_component(lab lab)

install(TARGETS tenure EXPORT tenure-program COMPONENT tenure)
if(TARGET tenured)
  install(TARGETS tenured COMPONENT tenured)
endif()
install(TARGETS tenure_postgres_clock tenure_wall_clock LIBRARY DESTINATION lib/tenure COMPONENT tenure)  # the program looks for it in ../lib/tenure
install(EXPORT tenure-program NAMESPACE tenure:: DESTINATION ${package_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION share/tenure COMPONENT tenure FILES_MATCHING PATTERN "*.toml"
        PATTERN designs EXCLUDE PATTERN regressions EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/adapters/process/shims/python/tenure DESTINATION share/tenure/python COMPONENT tenure
        FILES_MATCHING PATTERN "*.py")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/adapters/process/shims/go/tenure DESTINATION share/tenure/go COMPONENT tenure)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tenure-config.cmake.in ${PROJECT_BINARY_DIR}/tenure-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tenure-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tenure-config.cmake ${PROJECT_BINARY_DIR}/tenure-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TenureScenarios.cmake DESTINATION ${package_folder})
include(${PROJECT_SOURCE_DIR}/cmake/package.cmake)
