# stint_grpc_generate(TARGET target PROTOS file.proto… [IMPORT_DIRS folder…]): compiles .proto files with protoc, gRPC's
# plugin and stint's, and adds what they make to a target, which links stint::grpc from then on. A file x.proto is
# included as x.pb.h, x.grpc.pb.h and x.stint.h. Files lie in the first folder of IMPORT_DIRS, by default the current.
function(stint_grpc_generate)
  cmake_parse_arguments(arg "" "TARGET" "PROTOS;IMPORT_DIRS" ${ARGN})
  if(NOT TARGET "${arg_TARGET}" OR NOT arg_PROTOS OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "stint_grpc_generate(TARGET target PROTOS file.proto… [IMPORT_DIRS folder…]): got '${ARGN}'")
  endif()
  if(NOT arg_IMPORT_DIRS)
    set(arg_IMPORT_DIRS "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  # In the source tree beside cmake/; installed in PREFIX/include, from PREFIX/lib[/…]/cmake/stint.
  unset(stint_protos)
  find_path(stint_protos stint/v1/rate_limit.proto NO_CACHE REQUIRED NO_DEFAULT_PATH
    HINTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../proto" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../include"
          "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../../include")
  set(imports "-I${stint_protos}")
  foreach(folder IN LISTS arg_IMPORT_DIRS)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND folders "${folder}")
  endforeach()
  list(TRANSFORM folders PREPEND "-I")
  list(GET arg_IMPORT_DIRS 0 root)
  get_filename_component(root "${root}" ABSOLUTE)

  set(made "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}_proto")
  file(MAKE_DIRECTORY "${made}")
  foreach(proto IN LISTS arg_PROTOS)
    get_filename_component(file "${proto}" ABSOLUTE BASE_DIR "${root}")
    file(RELATIVE_PATH name "${root}" "${file}")
    string(REGEX REPLACE "\\.proto$" "" stem "${name}")
    set(sources "${made}/${stem}.pb.cc" "${made}/${stem}.grpc.pb.cc")
    set(headers "${made}/${stem}.pb.h" "${made}/${stem}.grpc.pb.h" "${made}/${stem}.stint.h")
    add_custom_command(OUTPUT ${sources} ${headers}
      COMMAND protobuf::protoc "--cpp_out=${made}" "--grpc_out=${made}" "--stint_out=${made}"
              "--plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>"
              "--plugin=protoc-gen-stint=$<TARGET_FILE:stint::protoc-gen-stint>" ${folders} ${imports} "${name}"
      DEPENDS "${file}" stint::protoc-gen-stint
      COMMENT "Compiling ${name} for gRPC and stint" VERBATIM)
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -w SKIP_LINTING ON)
    target_sources(${arg_TARGET} PRIVATE ${sources} ${headers})
  endforeach()
  target_include_directories(${arg_TARGET} SYSTEM PUBLIC $<BUILD_INTERFACE:${made}>)
  target_link_libraries(${arg_TARGET} PUBLIC stint::grpc)
endfunction()
