#pragma once
#include <stdint.h>

// Notices work that leaves a simulated world. The Swift runtime calls a hook for each job that goes to its global
// executor; a job that a watched thread sends there has escaped the world's own executors and with them its seed.

/// Puts the hook in place, once; jobs go on to where they went before.
void counterfoil_watch_global_jobs(void);

/// Says whether jobs that this thread sends to the global executor are to be counted from now on.
void counterfoil_watch_this_thread(int watch);

/// How many jobs this thread has sent to the global executor while it was watched.
uint64_t counterfoil_escaped_jobs(void);
