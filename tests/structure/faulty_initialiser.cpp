// SPDX-License-Identifier: Apache-2.0
// What initialisers.sh has to find: memory allocated before main().
#include <vector>

extern const std::vector<int> made_before_main;
const std::vector<int> made_before_main{1, 2, 3};
