// SPDX-License-Identifier: Apache-2.0
// Cleanup when a signal ends the program: temporary files and progress bar.
#pragma once

#include <string>

namespace gttf {

/// Removes the registered files and erases the progress bar, for a program that
/// ends immediately. May be called in a signal handler.
void tidy_up_now();

/// Installs handlers for SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM,
/// SIGUSR1 and SIGUSR2 that clean up before the default action. Ignored
/// signals remain ignored. For main(); the library itself never touches
/// signals.
void tidy_up_on_signals();

namespace detail {

/// A file that is removed by a signal during the lifetime of this object.
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

/// Sets whether a line of standard error must be erased on a signal.
void bar_is_drawn(bool drawn);

/// Blocks the signals above for this thread during its lifetime.
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
