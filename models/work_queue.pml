/*
 * A work queue: workers are started when there is work, and die after it.
 *
 * A dispatcher draws JOBS jobs with priorities at random, puts them into a
 * queue that is kept in order (sorted send), and starts at most WORKERS
 * worker processes at a time.  A worker takes the most urgent job, works,
 * reports the job by its number and dies.  The dispatcher then waits for the
 * reports in the order of job numbers, whatever the order in which they
 * arrive (random receive).
 *
 * Checked
 *   assertions         a job is not done twice; at most WORKERS at work; at
 *                      the end all jobs are done and all queues are empty
 *   invalid end state  the dispatcher always comes to its end
 *   ltl limited        at most WORKERS workers are at work
 *   ltl all_done       at last all jobs are done
 *   ltl expect_fail_one_at_a_time
 *                      there is never more than one worker: false
 *   ltl expect_fail_in_order
 *                      job 0 is done before job 1: false
 *   -DLEAK             a worker may die without a report: the dispatcher is
 *                      left waiting, an invalid end state
 *
 * Macros
 *   JOBS      number of jobs (default 3)
 *   WORKERS   workers at the same time (default 2)
 *   LEVELS    priorities are 0 .. LEVELS-1 (default 2)
 *   LEAK      the wrong worker
 *   A factor of about 30 for each job.
 */

#ifndef JOBS
#define JOBS 3
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef LEVELS
#define LEVELS 2
#endif

chan queue = [JOBS] of { byte, byte };         /* priority, job */
chan reports = [JOBS] of { byte };
bool done[JOBS];
byte completed, active_workers;

proctype Worker()
{
	byte job;

	queue?_,job;
	if
	:: true ->
		d_step {
			assert(!done[job]);
			done[job] = true;
			completed++
		};
		reports!job
#ifdef LEAK
	:: true -> skip                 /* crash without a word */
#endif
	fi;
	active_workers--                /* and die */
}

active proctype Dispatcher()
{
	byte job, prio;

	do
	:: job < JOBS ->
		select (prio : 0 .. LEVELS-1);
		atomic {
			queue!!prio,job;
			prio = 0;
			job++
		}
	:: atomic { active_workers < WORKERS && len(queue) > active_workers ->
		active_workers++;
		run Worker() }
	:: job == JOBS && empty(queue) -> break
	od;

	/* collect the reports by number */
	for (job : 0 .. JOBS-1) {
		reports??eval(job)
	}
	assert(completed == JOBS && empty(reports));
	active_workers == 0
}

ltl limited { [] (active_workers <= WORKERS) }

ltl all_done { <> (completed == JOBS) }

ltl expect_fail_one_at_a_time { [] (active_workers <= 1) }

ltl expect_fail_in_order { [] (done[1] -> done[0]) }
