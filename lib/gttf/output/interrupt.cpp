// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>

namespace gttf {
namespace {

// External signals that terminate a program by default; batch systems send the
// last ones before they kill it.
constexpr std::array<int, 8> ending_signals{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                            SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

sigset_t ending_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : ending_signals) sigaddset(&set, signal);
  return set;
}

}  // namespace

namespace detail {

// Slots form a list that only grows; slots are reused, so that a signal handler
// can traverse the list at any time.
struct RemovedOnSignal::Slot {
  std::atomic<bool> taken = false;
  std::atomic<char*> path = nullptr;
  std::unique_ptr<char[]> retired;  // the previous path
  Slot* next = nullptr;
};

namespace {

std::atomic<RemovedOnSignal::Slot*> slots = nullptr;
std::atomic<bool> bar_drawn = false;
static_assert(std::atomic<char*>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

RemovedOnSignal::Slot* take_slot() {
  for (auto* slot = slots.load(); slot != nullptr; slot = slot->next) {
    bool free = false;
    if (slot->taken.compare_exchange_strong(free, true)) return slot;
  }
  auto* slot = new RemovedOnSignal::Slot;  // never destroyed
  slot->taken = true;
  slot->next = slots.load();
  while (!slots.compare_exchange_weak(slot->next, slot)) {
  }
  return slot;
}

extern "C" void tidy_up(int signal) {
  tidy_up_now();
  struct sigaction fate {};
  fate.sa_handler = SIG_DFL;
  sigaction(signal, &fate, nullptr);
  raise(signal);  // pending until this handler returns
}

}  // namespace

RemovedOnSignal::RemovedOnSignal(const std::string& path) : slot_(take_slot()) {
  auto copy = std::make_unique<char[]>(path.size() + 1);
  std::memcpy(copy.get(), path.c_str(), path.size() + 1);
  slot_->path = copy.release();
}

RemovedOnSignal::~RemovedOnSignal() {
  // A handler in another thread may be reading the text: it is kept until the
  // next one is replaced.
  slot_->retired.reset(slot_->path.exchange(nullptr));
  slot_->taken = false;
}

void bar_is_drawn(bool drawn) { bar_drawn = drawn; }

struct SignalsHeldBack::Mask {
  sigset_t set;
};

SignalsHeldBack::SignalsHeldBack() : before_(new Mask) {
  const sigset_t set = ending_set();
  pthread_sigmask(SIG_BLOCK, &set, &before_->set);
}

SignalsHeldBack::~SignalsHeldBack() {
  pthread_sigmask(SIG_SETMASK, &before_->set, nullptr);
  delete before_;
}

}  // namespace detail

// Calls only what POSIX allows in a signal handler.
void tidy_up_now() {
  for (auto* slot = detail::slots.load(); slot != nullptr; slot = slot->next)
    if (const char* path = slot->path.load()) unlink(path);
  if (detail::bar_drawn.load()) {
    constexpr char erase[] = "\r\033[K";
    [[maybe_unused]] const auto n =
        ::write(STDERR_FILENO, erase, sizeof erase - 1);
  }
}

void tidy_up_on_signals() {
  for (const int signal : ending_signals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;
    action.sa_handler = detail::tidy_up;
    action.sa_mask = ending_set();
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace gttf
