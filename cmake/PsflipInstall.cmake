include(CMakePackageConfigHelpers)
if(TARGET psflip_bench) # programs only: its headers are not installed
    install(TARGETS psflip_bench LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS psflip EXPORT psflipTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY libcore/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/psflip FILES_MATCHING PATTERN "*.hpp"
        # private: what needs hdf5.h or CUDA, or one instruction set each
        PATTERN "io/hdf5" EXCLUDE PATTERN "sweep/gauge.hpp" EXCLUDE PATTERN "bench" EXCLUDE PATTERN "*_simd.hpp" EXCLUDE)
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(EXPORT psflipTargets NAMESPACE psflip:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/psflip)
configure_package_config_file(cmake/psflipConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/psflipConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/psflip)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/psflipConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/psflipConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/psflipConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/psflip)
