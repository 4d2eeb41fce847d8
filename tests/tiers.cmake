# The tier of a test is a label: `all` if only envs/check --all runs it, `quick` if envs/check --quick runs it, too.

# envs/check --quick runs these tests next to all unit tests that are not long.
set(psflip_quick_tests tools_pipeline tools_audit tools_bench tools_frozen tools_lanes tools_site_lanes
    tools_relax_vectors tools_validate physics_kaufman)

# psflip_add_tests(NAME LABEL SOURCE LONG_MARK COMMAND ... SHORT ... LONG ...) adds the CTest entry NAME. If the source has tests with the mark
# of long tests, NAME leaves them out and NAME_long runs them. If the mark stands in a line that begins with pytestmark or TEST_SUITE_BEGIN, all
# tests of the source are long.
# Sets psflip_tests to the names of the entries.
macro(psflip_add_tests name label source long_mark)
    cmake_parse_arguments(adding "" "" "COMMAND;SHORT;LONG" ${ARGN})
    file(STRINGS ${source} adding_marks REGEX "${long_mark}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    set(psflip_tests ${name})
    if(adding_marks MATCHES "(^|;)(pytestmark|TEST_SUITE_BEGIN)")
        add_test(NAME ${name} COMMAND ${adding_COMMAND})
        set_tests_properties(${name} PROPERTIES LABELS "${label};all")
    elseif(adding_marks)
        add_test(NAME ${name} COMMAND ${adding_COMMAND} ${adding_SHORT})
        add_test(NAME ${name}_long COMMAND ${adding_COMMAND} ${adding_LONG})
        set_tests_properties(${name}_long PROPERTIES LABELS "${label};all")
        list(APPEND psflip_tests ${name}_long)
    else()
        add_test(NAME ${name} COMMAND ${adding_COMMAND})
    endif()
    if(NOT adding_marks MATCHES "(^|;)(pytestmark|TEST_SUITE_BEGIN)")
        if("${label}" STREQUAL unit OR ${name} IN_LIST psflip_quick_tests)
            set_tests_properties(${name} PROPERTIES LABELS "${label};quick")
        else()
            set_tests_properties(${name} PROPERTIES LABELS ${label})
        endif()
    endif()
endmacro()

# psflip_check_quick_tests() fails if a test of tier quick does not exist, for instance because it has a new name.
function(psflip_check_quick_tests)
    foreach(test ${psflip_quick_tests})
        if(NOT TEST ${test})
            message(FATAL_ERROR "psflip: there is no test ${test}, which tests/tiers.cmake names")
        endif()
    endforeach()
endfunction()
