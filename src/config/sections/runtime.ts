import * as z from 'zod';
import { choice, durationOrNull, integer, integerOrNull, sizeOrNull } from '../field.ts';

/** A Node timer of more than 2^31 - 1 ms fires at once; 24 days is the last whole day below that. */
const MAX_TIMER_MS = 24 * 24 * 3_600_000;
const MAX_BYTES = 2 ** 50;

/** Defaults for the sessions and commands of the terminal runtime. A limit in a request overrides them. */
export const runtimeSchema = z.strictObject({
  timeout_ms: durationOrNull('Timeout of a command in a terminal session that sets none; null means no limit.', {
    min: 1,
    max: MAX_TIMER_MS,
  }),
  max_sessions: integer('Maximum number of live terminal sessions in a workspace.', { min: 1, max: 65_535 }),
  max_agents: integer('Maximum number of child agents that run in a workspace at the same time.', {
    min: 1,
    max: 4096,
  }),
  max_agent_depth: integer('Maximum number of levels of child agents below the first agent; 0 means none.', {
    min: 0,
    max: 16,
  }),
  socket_secret: choice(
    ['required', 'optional'],
    'Whether clients of the socket must send its secret; optional leaves it to the permissions of the socket, and sandboxed sessions are then refused.',
  ),
  memory_bytes: sizeOrNull('Memory limit of a session; null means no limit.', { min: 1, max: MAX_BYTES }),
  processes: integerOrNull('Maximum number of processes and threads of a session; null means no limit.', {
    min: 1,
    max: 4_194_304,
  }),
  cpu_percent: integerOrNull('Share of the processors a session gets, 100 for one processor; null means no limit.', {
    min: 1,
    max: 100_000,
  }),
  cpu_seconds: integerOrNull('Processor time of each process of a session, in seconds; null means no limit.', {
    min: 1,
    max: 1_000_000_000,
  }),
  open_files: integerOrNull('Maximum number of open files of each process of a session; null means no limit.', {
    min: 1,
    max: 2_147_483_647,
  }),
  file_bytes: sizeOrNull('Maximum size of a file that a session writes; null means no limit.', {
    min: 1,
    max: MAX_BYTES,
  }),
  nice: integerOrNull('Niceness of the processes of a session; null leaves it as it is.', { min: 0, max: 19 }),
});
