import { callSession, RuntimeSessions } from '../../../../src/terminal/index.ts';

/** Opens limited sessions, prints the pids in them, and waits to be killed. */
const sessions = new RuntimeSessions({ workspace: '/', environment: process.env });
const pids: number[] = [];
for (let count = 0; count < 3; count++) {
  const { session_id, pid } = await callSession(sessions, 'session.create', { limits: { processes: 20 } });
  // A process without its parents and environment, so that only its group identifies it.
  const command = `setsid env -i sh -c 'trap "" HUP TERM; sleep 300 & echo $!'`;
  const { stdout } = await callSession(sessions, 'exec.run', { session_id, command });
  pids.push(pid!, Number(stdout.data));
}
process.stdout.write(`${JSON.stringify(pids)}\n`);
setInterval(() => {}, 60_000);
