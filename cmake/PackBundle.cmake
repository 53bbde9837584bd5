# Fills the folder BUNDLE and packs it as BUNDLE.tar.xz: the script of the
# target `bundle`, see Bundle.cmake for what it is given. Same files, same bytes.

file(REMOVE_RECURSE ${BUNDLE})
get_filename_component(name ${BUNDLE} NAME)
get_filename_component(parent ${BUNDLE} DIRECTORY)

execute_process(COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${BUNDLE}
          --component runtime --strip)
file(COPY ${TOOL} ${GPU_TEST} DESTINATION ${BUNDLE}/bin)
foreach(tool compile opt run)
  file(CREATE_LINK mlopt ${BUNDLE}/bin/mlopt-${tool} SYMBOLIC)
endforeach()
file(COPY ${PROGRAMS} DESTINATION ${BUNDLE}/tests)
configure_file(${SOURCE}/test/run_bundle.sh ${BUNDLE}/run-tests.sh COPYONLY)
configure_file(${SOURCE}/test/bundle.md ${BUNDLE}/README.md COPYONLY)
configure_file(${SOURCE}/LICENSE ${BUNDLE}/LICENSE COPYONLY)

execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner
          -C ${parent} -cf - ${name}
  COMMAND xz -6 -T0
  OUTPUT_FILE ${BUNDLE}.tar.xz)
