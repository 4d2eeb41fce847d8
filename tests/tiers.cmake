# The tier of a test is a label: `all` if only envs/check --all runs it, `quick` if envs/check --quick runs it, too.

# Beside all unit tests that are not long: a test of each program, and what is cheap of the rest.
set(psflip_quick_tests tools_pipeline tools_frozen tools_lanes tools_site_lanes
    tools_relax_vectors tools_validate physics_kaufman)

# psflip_add_tests(NAME LABEL SOURCE LONG_MARK COMMAND ... SHORT ... LONG ...) adds the CTest entry NAME. If the source has tests with the mark
# of long tests, NAME leaves them out and NAME_long runs them. If a line begins with pytestmark and the mark, all tests of the source are long.
# Sets psflip_tests to the names of the entries.
macro(psflip_add_tests name label source long_mark)
    cmake_parse_arguments(adding "" "" "COMMAND;SHORT;LONG" ${ARGN})
    file(STRINGS ${source} adding_marks REGEX "${long_mark}")
    set(psflip_tests ${name})
    if(adding_marks MATCHES "(^|;)pytestmark")
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
    if(NOT adding_marks MATCHES "(^|;)pytestmark")
        if("${label}" STREQUAL unit OR ${name} IN_LIST psflip_quick_tests)
            set_tests_properties(${name} PROPERTIES LABELS "${label};quick")
        else()
            set_tests_properties(${name} PROPERTIES LABELS ${label})
        endif()
    endif()
endmacro()
