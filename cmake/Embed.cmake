# cmake -DINPUT=file -DOUTPUT=file.c -DNAME=symbol -P Embed.cmake
#
# Writes a C file that holds a text as `const char symbol[]`, closed by a zero.

file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){16})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}.new "extern const char ${NAME}[];\n"
  "const char ${NAME}[] = {\n${bytes}0};\n")
file(RENAME ${OUTPUT}.new ${OUTPUT})
