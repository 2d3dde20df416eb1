#include "litz_corpus/workers.h"

#include <chrono>
#include <cstring>
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

struct Child {
  int job = 0;
  pid_t pid = 0;
  int pipe = -1;
  std::string text;
  Clock::time_point start;
  bool timed_out = false;
};

void write_all(int fd, const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::write(fd, text.data() + sent, text.size() - sent);
    if (n <= 0) return;
    sent += static_cast<size_t>(n);
  }
}

Child start_child(int job, const std::function<std::string(int)>& work) {
  int ends[2];
  require(::pipe2(ends, O_CLOEXEC) == 0, ErrorCode::io, "cannot make a pipe");
  const pid_t pid = ::fork();
  require(pid >= 0, ErrorCode::io, "cannot start a child process");
  if (pid == 0) {
    ::close(ends[0]);
    write_all(ends[1], work(job));
    ::_exit(0);
  }
  ::close(ends[1]);
  return {.job = job, .pid = pid, .pipe = ends[0], .start = Clock::now()};
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

}  // namespace

void run_in_children(int count, int parallel, double seconds,
                     const std::function<std::string(int)>& work,
                     const std::function<void(int, std::string text, std::string failure)>& done) {
  std::vector<Child> children;
  int next = 0;
  while (next < count || !children.empty()) {
    while (next < count && static_cast<int>(children.size()) < parallel) {
      children.push_back(start_child(next++, work));
    }
    std::vector<pollfd> pipes;
    pipes.reserve(children.size());
    for (const Child& child : children) pipes.push_back({child.pipe, POLLIN, 0});
    ::poll(pipes.data(), pipes.size(), 200);
    for (size_t i = children.size(); i-- > 0;) {
      Child& child = children[i];
      const bool late = std::chrono::duration<double>(Clock::now() - child.start).count() > seconds;
      if (late && !child.timed_out) {
        child.timed_out = true;
        ::kill(child.pid, SIGKILL);
      }
      if (pipes[i].revents == 0 || !drain(child)) continue;
      ::close(child.pipe);
      std::string failure = failure_of(child);
      done(child.job, std::move(child.text), std::move(failure));
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace litz::corpus
