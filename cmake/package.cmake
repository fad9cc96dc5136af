# Debian packages: tenure, tenured and libtenure-dev, by `./dev package` (cpack). The same tree and SOURCE_DATE_EPOCH give the same bytes.

# What cpack takes is what `./dev package` has built: no test and no benchmark.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)

# Manual pages are made of --help, and completions by the program: neither can fall behind it.
set(manual ${PROJECT_BINARY_DIR}/package/manual)
set(completions ${PROJECT_BINARY_DIR}/package/completions)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/changelog.Debian CONTENT "tenure (@PROJECT_VERSION@) bookworm; urgency=medium

  * See changelog.gz.

 -- The Tenure authors <tenure@lists.example.org>  Thu, 01 Jan 1970 00:00:00 +0000
" @ONLY)
add_custom_target(package_texts COMMAND ${PROJECT_SOURCE_DIR}/cmake/package_texts.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
                  DEPENDS tenure)
if(TARGET tenured)
  add_dependencies(package_texts tenured)
endif()

set(packages tenure:tenure tenured:tenured dev:libtenure-dev)
foreach(pair IN LISTS packages)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES ${PROJECT_BINARY_DIR}/package/changelog.Debian.gz ${PROJECT_BINARY_DIR}/package/changelog.gz ${PROJECT_BINARY_DIR}/package/copyright
          DESTINATION share/doc/${package} COMPONENT ${component} OPTIONAL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
endforeach()
install(DIRECTORY ${manual}/tenure/ DESTINATION share/man/man1 COMPONENT tenure OPTIONAL)
install(DIRECTORY ${manual}/tenured/ DESTINATION share/man/man1 COMPONENT tenured OPTIONAL)
install(FILES ${completions}/tenure DESTINATION share/bash-completion/completions COMPONENT tenure OPTIONAL)
install(FILES ${completions}/_tenure DESTINATION share/zsh/vendor-completions COMPONENT tenure OPTIONAL)
install(FILES ${completions}/tenure.fish DESTINATION share/fish/vendor_completions.d COMPONENT tenure OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/daemon/operations/systemd/tenured.service DESTINATION lib/systemd/system COMPONENT tenured)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tenure)
set(CPACK_PACKAGE_VENDOR "The Tenure authors")
set(CPACK_PACKAGE_CONTACT "The Tenure authors <tenure@lists.example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tenure tenured dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_TENURE_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TENURED_PACKAGE_SECTION net)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TENURE_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TENURED_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TENURE_PACKAGE_DEPENDS tzdata)
set(CPACK_DEBIAN_TENURED_PACKAGE_DEPENDS tzdata)
set(CPACK_DEBIAN_TENURE_PACKAGE_SUGGESTS "postgresql-15, python3, golang-go")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libfmt-dev, libhowardhinnant-date-dev, libtomlplusplus-dev, nlohmann-json3-dev, libsqlite3-dev, libpq-dev")
set(CPACK_COMPONENT_TENURE_DESCRIPTION "is this leader election, and the scheduler on it, safe?
 Simulates leases, leader elections and schedulers under clock skew, pauses,
 outages, network faults and crashes, and judges what happened.")
set(CPACK_COMPONENT_TENURED_DESCRIPTION "schedules as a service, on SQLite or Postgres
 One of its instances leads, and fires each slot of a schedule once; all of
 them answer.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "leases, electors, schedulers and their simulator, as a C++ library
 Headers and static libraries of the core that tenured runs, of the simulator
 that tenure runs it in, and of the adapters for SQLite and Postgres.")
include(CPack)
