# CTest script: installs psflip into a fresh folder, builds the consumer project against it and runs it and an installed program.
# Needs -DBUILD=<build folder of psflip> -DSOURCE=<this folder> -DVERSION=<of psflip> -DWORK=<folder to use> -DCXX=<compiler>.
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed (${status}): ${command}\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/consumer -B ${WORK}/build -DVERSION=${VERSION} -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
run(${WORK}/prefix/bin/gen-disorder --version)
if(NOT EXISTS ${WORK}/prefix/share/man/man1/psflip-run.1)
    message(FATAL_ERROR "no manual pages in ${WORK}/prefix/share/man/man1")
endif()
