#include "litz_corpus/workers.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support/check.h"

namespace litz::corpus {
namespace {

using Clock = std::chrono::steady_clock;

/// Jobs [first, end).
struct Jobs {
  int first = 0;
  int end = 0;
};

struct Child {
  Jobs jobs;  ///< Those without a result yet.
  pid_t pid = 0;
  int pipe = -1;
  std::string text;         ///< Received, without whole lines.
  Clock::time_point start;  ///< Of the first of the jobs.
  bool timed_out = false;
};

void write_all(int fd, const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::write(fd, text.data() + sent, text.size() - sent);
    if (n <= 0) return;
    sent += static_cast<size_t>(n);
  }
}

Child start_child(Jobs jobs, const std::function<std::string(int)>& work) {
  int ends[2];
  require(::pipe2(ends, O_CLOEXEC) == 0, ErrorCode::io, "cannot make a pipe");
  const pid_t pid = ::fork();
  require(pid >= 0, ErrorCode::io, "cannot start a child process");
  if (pid == 0) {
    ::close(ends[0]);
    for (int job = jobs.first; job < jobs.end; ++job) write_all(ends[1], work(job) + "\n");
    ::_exit(0);
  }
  ::close(ends[1]);
  return {.jobs = jobs, .pid = pid, .pipe = ends[0], .start = Clock::now()};
}

// Reads the available bytes; true at the end of the pipe.
bool drain(Child& child) {
  char buffer[65536];
  const ssize_t n = ::read(child.pipe, buffer, sizeof buffer);
  if (n > 0) child.text.append(buffer, static_cast<size_t>(n));
  return n <= 0;
}

std::string failure_of(const Child& child) {
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  if (child.timed_out) return "ran past the time limit";
  if (WIFSIGNALED(status)) return std::string("died of ") + ::strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exited with " + std::to_string(WEXITSTATUS(status));
  return "";
}

using Done = std::function<void(int, std::string text, std::string failure)>;

/// Passes on the results that have arrived whole.
void take_results(Child& child, const Done& done) {
  for (size_t end = child.text.find('\n'); end != std::string::npos; end = child.text.find('\n')) {
    done(child.jobs.first++, child.text.substr(0, end), "");
    child.text.erase(0, end + 1);
    child.start = Clock::now();
  }
}

}  // namespace

void run_in_children(int count, const WorkerLimits& limits,
                     const std::function<std::string(int)>& work, const Done& done) {
  std::deque<Jobs> waiting;
  for (int first = 0; first < count; first += limits.jobs) {
    waiting.push_back({first, std::min(first + limits.jobs, count)});
  }
  std::vector<Child> children;
  while (!waiting.empty() || !children.empty()) {
    while (!waiting.empty() && static_cast<int>(children.size()) < limits.children) {
      children.push_back(start_child(waiting.front(), work));
      waiting.pop_front();
    }
    std::vector<pollfd> pipes;
    pipes.reserve(children.size());
    for (const Child& child : children) pipes.push_back({child.pipe, POLLIN, 0});
    ::poll(pipes.data(), pipes.size(), 200);
    for (size_t i = children.size(); i-- > 0;) {
      Child& child = children[i];
      const std::chrono::duration<double> passed = Clock::now() - child.start;
      if (passed.count() > limits.seconds && !child.timed_out) {
        child.timed_out = true;
        ::kill(child.pid, SIGKILL);
      }
      if (pipes[i].revents == 0) continue;
      const bool has_ended = drain(child);
      take_results(child, done);
      if (!has_ended) continue;
      ::close(child.pipe);
      std::string failure = failure_of(child);
      if (child.jobs.first < child.jobs.end) {
        done(child.jobs.first++, "", std::move(failure));
        if (child.jobs.first < child.jobs.end) waiting.push_back(child.jobs);
      }
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace litz::corpus
