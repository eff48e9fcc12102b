# SPDX-License-Identifier: Apache-2.0
# What runs in several threads, for ThreadSanitizer (preset tsan): its test cases
# and the verbs that start threads. Elsewhere the stages have all of this.
function(gttf_thread_test name)
  add_test(NAME threads.${name} COMMAND ${ARGN})
  set_tests_properties(threads.${name} PROPERTIES LABELS threads)
endfunction()

gttf_thread_test(core test_core "-tc=parallel:*,ordered stream:*,threads:*,batch:*")
gttf_thread_test(fit test_fit "-tc=batched fits:*")
gttf_thread_test(resolution test_resolution "-tc=batch*")
gttf_thread_test(study test_study
  "-tc=*threads*,toy study:*,toys in any field:*,fit:*,hit file:*,bias study:*")

if(TARGET gttf-design)
  set(barrel ${PROJECT_SOURCE_DIR}/detectors/barrel.yaml)
  set(grid --p 0.1GeV:100GeV:200 --theta 20deg:90deg:5 --threads 4 --no-provenance)
  gttf_thread_test(scan gttf-design scan ${barrel} ${grid} -o tsan.csv -o tsan.json)
  gttf_thread_test(scan_triplet gttf-design scan ${barrel} ${grid}
    --engine triplet -o tsan-triplet.csv)
  gttf_thread_test(scan_losses gttf-design scan ${barrel} ${grid}
    --energy-loss straggling -o tsan-losses.csv)
  gttf_thread_test(regimes gttf-design regimes ${barrel} ${grid} -o tsan-regimes.csv)
  gttf_thread_test(toys gttf-design toy ${barrel} --p 1GeV,10GeV --theta 70deg
    --toys 400 --threads 4 --checkpoint tsan-state --checkpoint-every 0 -o tsan-toys.json)
  gttf_thread_test(hits gttf-design fit ${PROJECT_SOURCE_DIR}/detectors/alice_its2.yaml
    ${PROJECT_SOURCE_DIR}/configs/its2-hits.csv --threads 4 -o tsan-fit.csv)
  gttf_thread_test(check gttf-design check
    ${PROJECT_SOURCE_DIR}/configs/check/alice_its2.yaml --threads 4)
  gttf_thread_test(report gttf-design report ${barrel} --p 1GeV,10GeV --threads 4
    -o tsan-report.html)
  gttf_thread_test(optimise gttf-design optimise
    ${PROJECT_SOURCE_DIR}/configs/optimise/its2.yaml --threads 4 -o tsan-best.json)
endif()
