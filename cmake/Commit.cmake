# Writes OUTPUT, a header that defines MLOPT_COMMIT: the commit of the checkout
# SOURCE, with + after it if files were changed since; empty if SOURCE is no
# checkout. Run with every build, so that it says what is built; a header that
# says so already is left alone.

set(commit "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix
  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed AND prefix STREQUAL "") # and not in somebody else's checkout
  execute_process(COMMAND git -C ${SOURCE} describe --always --exclude=*
    --abbrev=12 --dirty=+
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "#define MLOPT_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
