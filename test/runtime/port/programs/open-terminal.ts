import { openTerminals } from '../../../../src/runtime/port/terminals.ts';

/** An agent's process: opens a terminal, prints what it got, and waits to be killed, or ends without closing it. */
const [workspace, command, line, end] = process.argv.slice(2) as [string, string, string, 'wait' | 'exit'];
const terminals = openTerminals({
  workspace,
  runId: 'run-1',
  sandbox: { profile: 'none', path: process.env.PATH },
  server: { command: [process.execPath, command], idleMs: 60_000 },
});
const request = { callId: 'call', argv: ['bash', '-c', line], cwd: workspace, env: {}, maxOutputChars: 1000 };
const answer = await terminals.execCommand({ ...request, yieldMs: 100 }, new AbortController().signal);
process.stdout.write(`${JSON.stringify(answer)}\n`);
if (end === 'wait') setInterval(() => {}, 1000);
