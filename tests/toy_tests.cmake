# SPDX-License-Identifier: Apache-2.0
# Tests of long runs of toys: interrupted ones, and shards on a batch system.
if(TARGET gttf-design)
  add_test(NAME toys.kill_and_resume COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/toys/kill_and_resume.sh
    ${PROJECT_SOURCE_DIR} ${GTTF_PROGRAM})
  add_test(NAME toys.memory COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/toys/memory.sh
    ${PROJECT_SOURCE_DIR} ${GTTF_PROGRAM})
  add_test(NAME toys.slurm_array COMMAND
    sh ${CMAKE_CURRENT_SOURCE_DIR}/slurm/toy_array.sh
    ${PROJECT_SOURCE_DIR} ${GTTF_PROGRAM})
  set_tests_properties(toys.kill_and_resume toys.memory toys.slurm_array
    PROPERTIES LABELS toys SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
