# SPDX-License-Identifier: Apache-2.0
# Gives the staged package the form that Debian's policy requires, so that lintian
# reports nothing; run by CPack before it packs.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(folder ${root}/share/doc/${CPACK_PACKAGE_NAME})

# The changes are in CHANGELOG.md.gz, next to this changelog.
# SOURCE_DATE_EPOCH, where set, is taken as the time.
string(TIMESTAMP time "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${folder}/changelog
"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md.gz in this folder.

 -- ${CPACK_PACKAGE_CONTACT}  ${time}
")
execute_process(COMMAND gzip -9 -n ${folder}/changelog
  COMMAND_ERROR_IS_FATAL ANY)

# Debian has the licence in /usr/share/common-licenses; copyright says so.
file(REMOVE ${folder}/LICENSE)

# The compiler's name, which strip leaves in.
file(GLOB_RECURSE compiled ${root}/bin/* ${root}/lib/*.a)
execute_process(COMMAND strip --strip-debug --remove-section=.comment ${compiled}
  COMMAND_ERROR_IS_FATAL ANY)

file(COPY ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides
  DESTINATION ${root}/share/lintian/overrides)
file(RENAME ${root}/share/lintian/overrides/lintian-overrides
  ${root}/share/lintian/overrides/${CPACK_PACKAGE_NAME})
file(CHMOD ${root}/share/lintian/overrides/${CPACK_PACKAGE_NAME}
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
