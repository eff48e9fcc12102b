// SPDX-License-Identifier: Apache-2.0
// What a signal that ends the program leaves tidy: no temporary files, no bar.
#pragma once

#include <string>

namespace gttf {

/// Removes the registered files and erases the progress bar, for a program that
/// ends at once. May be called in a signal handler.
void tidy_up_now();

/// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1 and
/// SIGUSR2 do so before they end the program as they would have done. A signal
/// that is ignored stays ignored. For main(); the library itself never touches
/// signals.
void tidy_up_on_signals();

namespace detail {

/// A file that a signal removes while this object lives.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

  struct Slot;

 private:
  Slot* slot_;
};

/// Tells whether a line of standard error must be erased on a signal.
void bar_is_drawn(bool drawn);

/// Holds back the signals above, for this thread, while it lives.
class SignalsHeldBack {
 public:
  SignalsHeldBack();
  ~SignalsHeldBack();
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  struct Mask;
  Mask* before_;
};

}  // namespace detail
}  // namespace gttf
