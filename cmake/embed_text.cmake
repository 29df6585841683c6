# cmake -DROOT=... -DFILES=a,b -DOUTPUT=... -P embed_text.cmake: the texts of files as a C++ source, for
# cuda/demos/source_text.h.
string(REPLACE "," ";" files "${FILES}")
set(code "#include \"cuda/demos/source_text.h\"\n\nnamespace kvarium::cuda::demos {\n\n")
string(APPEND code "const std::vector<EmbeddedFile>& embedded_files() {\n  static const std::vector<EmbeddedFile> kFiles{\n")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" text)
  string(APPEND code "      {\"${file}\", R\"embedded(${text})embedded\"},\n")
endforeach()
string(APPEND code "  };\n  return kFiles;\n}\n\n}  // namespace kvarium::cuda::demos\n")
file(WRITE "${OUTPUT}" "${code}")
