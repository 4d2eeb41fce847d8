# What the wheel holds beside the Python package: programs, their library, and the tree of files that psflip/places.py looks for in share/.
# Wheels hold no links: one name for the library.
set(libraries psflip)
if(TARGET psflip_bench)
    list(APPEND libraries psflip_bench)
endif()
set_property(TARGET ${libraries} PROPERTY VERSION)
set_property(TARGET ${libraries} PROPERTY SOVERSION)
install(TARGETS ${libraries} LIBRARY DESTINATION psflip/lib COMPONENT wheel)
set(share psflip/share)
install(FILES workflows/Snakefile DESTINATION ${share}/workflows COMPONENT wheel)
install(DIRECTORY workflows/rules workflows/profiles workflows/schemas DESTINATION ${share}/workflows COMPONENT wheel
        FILES_MATCHING PATTERN "*.smk" PATTERN "*.yaml")
install(DIRECTORY configs/ DESTINATION ${share}/configs COMPONENT wheel FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY docs/ DESTINATION ${share}/docs COMPONENT wheel FILES_MATCHING PATTERN "*.md" PATTERN notes EXCLUDE PATTERN ea3d EXCLUDE PATTERN papers EXCLUDE PATTERN site EXCLUDE PATTERN releasing.md EXCLUDE)
install(FILES workflows/README.md DESTINATION ${share}/docs COMPONENT wheel RENAME workflow.md) # pyproject.toml leaves out the name README.md
# share/man of the environment, where man looks for pages
install(DIRECTORY docs/man/ DESTINATION ${SKBUILD_DATA_DIR}/share/man/man1 COMPONENT wheel FILES_MATCHING PATTERN "*.1")
install(FILES envs/requirements.txt DESTINATION ${share}/envs COMPONENT wheel)
