# Builds the GDNative library of bindings/godot. TERN_GODOT_SOURCE has the headers, but for one that
# Godot's own scripts make.

set(gdnative ${TERN_GODOT_SOURCE}/modules/gdnative)
if(NOT EXISTS ${gdnative}/gdnative_api.json)
  message(FATAL_ERROR "TERN_GODOT_SOURCE is ${TERN_GODOT_SOURCE}, expected the source of Godot 3 "
                      "(it has no modules/gdnative/gdnative_api.json)")
endif()
find_program(TERN_PYTHON python3 REQUIRED)
set(generated ${PROJECT_BINARY_DIR}/gdnative)
set(header ${generated}/gdnative_api_struct.gen.h)
file(MAKE_DIRECTORY ${generated})
add_custom_command(OUTPUT ${header}
  COMMAND ${TERN_PYTHON} ${PROJECT_SOURCE_DIR}/bindings/godot/make_header.py ${gdnative} ${header}
  DEPENDS ${PROJECT_SOURCE_DIR}/bindings/godot/make_header.py)
file(GLOB sources CONFIGURE_DEPENDS bindings/godot/*.cpp)
add_library(tern_godot MODULE ${sources} ${header}
  ${core_objects} $<TARGET_OBJECTS:tern_udp>)
set_target_properties(tern_godot PROPERTIES LINKER_LANGUAGE CXX CXX_EXTENSIONS OFF
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/godot/addons/tern)
if(WIN32) # These are the names in bindings/godot/addons/tern/tern.gdnlib.
  set_target_properties(tern_godot PROPERTIES PREFIX "")
elseif(APPLE)
  set_target_properties(tern_godot PROPERTIES SUFFIX .dylib)
  target_link_options(tern_godot PRIVATE "-Wl,-exported_symbol,_godot_*")
else()
  set(symbols ${PROJECT_SOURCE_DIR}/cmake/godot.symbols)
  set_target_properties(tern_godot PROPERTIES LINK_DEPENDS ${symbols})
  target_link_options(tern_godot PRIVATE -Wl,--version-script=${symbols})
endif()
target_include_directories(tern_godot SYSTEM PRIVATE ${gdnative}/include ${generated})
target_link_libraries(tern_godot PRIVATE tern_house tern::libsodium ${udp_system_libraries})
