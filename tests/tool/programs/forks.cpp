// SPDX-License-Identifier: Apache-2.0
// A program whose forked child has an error, after the parent has had one of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <pto/pto-inst.hpp>
#include <string>

__global__ AICORE void leaves_a_flag_set() { set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2); }
__global__ AICORE void sets_a_flag_twice() {
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
}

// The modes: "child", the child has an error; "both", the parent too; "neither"; "_exit", "exec" and "abort" say how
// the child ends after its error; "crash", the parent has an error and aborts.
int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "crash") {
    sets_a_flag_twice<<<1, 0, nullptr>>>();
    std::abort();
  }
  if (mode == "both") sets_a_flag_twice<<<1, 0, nullptr>>>();
  const pid_t child = fork();
  if (child == 0) {
    if (mode != "neither") leaves_a_flag_set<<<1, 0, nullptr>>>();
    if (mode == "_exit") _exit(0);
    if (mode == "exec") execl("/bin/true", "true", nullptr);
    if (mode == "abort") std::abort();
    return 0;
  }
  int status = 0;
  waitpid(child, &status, 0);
}
