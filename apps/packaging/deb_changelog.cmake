# SPDX-License-Identifier: Apache-2.0
# Puts the changelog that Debian's policy asks for into the staged package, run
# by CPack before it packs; what changed is told by CHANGELOG.md.gz beside it.
set(folder ${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/${CPACK_PACKAGE_NAME})
# SOURCE_DATE_EPOCH, where set, is taken as the time.
string(TIMESTAMP time "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${folder}/changelog
"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md.gz in this folder.

 -- ${CPACK_PACKAGE_CONTACT}  ${time}
")
execute_process(COMMAND gzip -9 -n ${folder}/changelog
  COMMAND_ERROR_IS_FATAL ANY)
