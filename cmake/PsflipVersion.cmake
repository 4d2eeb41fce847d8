# Script, run at every build: writes version.cpp with the commit that is being built. The file is touched only where it changes.
find_package(Git QUIET)
set(PSFLIP_COMMIT "")
if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=*
                    WORKING_DIRECTORY ${PSFLIP_SOURCE_DIR} OUTPUT_VARIABLE PSFLIP_COMMIT
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT PSFLIP_COMMIT)
    set(PSFLIP_COMMIT "$ENV{PSFLIP_COMMIT}")  # sources without their git folder
endif()
if(NOT PSFLIP_COMMIT AND EXISTS ${PSFLIP_SOURCE_DIR}/COMMIT)
    file(STRINGS ${PSFLIP_SOURCE_DIR}/COMMIT PSFLIP_COMMIT LIMIT_COUNT 1)  # sources from PyPI
endif()
if(NOT PSFLIP_COMMIT)
    set(PSFLIP_COMMIT unknown)
endif()
configure_file(${PSFLIP_SOURCE_DIR}/libcore/base/version.cpp.in ${PSFLIP_VERSION_FILE} @ONLY)
