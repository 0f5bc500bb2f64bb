import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconstructStreams } from '../../../src/recording/trace/reconstruct-streams.ts';
import { TraceSession } from '../../../src/recording/trace/trace-session.ts';
import { agent } from './fixtures.ts';
import { runTraced } from './traced-run.ts';

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'tacho-session-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const complete = { coverage: 1, diagnostics: [] };

describe('a traced run', () => {
  test('names the process of each write, in order, and keeps the exit of the command', async () => {
    const script =
      'echo one; bash -c "echo two >&2"; (echo three); node -e "process.stderr.write(\'4\\n\')"; echo five > /dev/tty; exit 3';
    const run = await runTraced(['bash', '-c', script]);
    expect(run.writes.map((write) => [write.stream, run.textOf(write)])).toEqual([
      ['stdout', 'one\n'],
      ['stderr', 'two\n'],
      ['stdout', 'three\n'],
      ['stderr', '4\n'],
      ['stdout', 'five\n'],
    ]);
    expect(run.writes.map(({ command }) => command.split(' ', 1)[0])).toEqual(['bash', 'bash', 'bash', 'node', 'bash']);
    expect(run.writes[1]?.command).toBe('bash -c echo two >&2');
    expect(run.writes[0]?.pid).toBe(run.pid);
    expect(run.end).toMatchObject({ exitCode: 3, signal: null });
    expect(run.isComplete).toBe(true);
    expect(run.leftovers).toEqual([]);
    expect(run.summary).toMatchObject({ ...complete, writes: 5, processes: 4 });
    expect(run.processes.map(({ parent }) => parent)).toEqual([null, run.pid, run.pid, run.pid]);
    expect(run.processes.map(({ exit }) => exit?.code)).toEqual([3, 0, 0, 0]);
  });

  test('of many concurrent processes attributes each line to its process', async () => {
    const run = await runTraced([process.execPath, agent('trace-processes.mjs')]);
    expect(run.summary).toMatchObject({ ...complete, writes: 400, processes: 5 });
    for (const write of run.writes) expect(JSON.parse(run.textOf(write))).toMatchObject({ pid: write.pid });
    const perProcess = new Set(run.writes.map(({ pid }) => pid));
    for (const pid of perProcess) {
      const lines = run.writes.filter((write) => write.pid === pid).map((write) => JSON.parse(run.textOf(write)).line);
      expect(lines).toEqual(Array.from({ length: 100 }, (_, line) => line));
    }
  });

  test('of eight threads gives 1,600 complete lines', async () => {
    const run = await runTraced([process.execPath, agent('trace-threads.mjs')]);
    expect(run.summary).toMatchObject({ ...complete, writes: 1600, processes: 1 });
    for (const write of run.writes) expect(run.textOf(write)).toMatch(/^\[\d,\d+\]\n$/);
    expect(new Set(run.writes.map(({ pid }) => pid))).toEqual(new Set([run.pid]));
  });

  test('of short, long and vectored writes accounts for every byte', async () => {
    for (const name of ['trace-partial-writes.mjs', 'trace-long-write.mjs', 'trace-writev.mjs']) {
      const run = await runTraced([process.execPath, agent(name)]);
      expect(run.summary).toMatchObject(complete);
    }
  });

  test('continues after a writer was killed during a write', async () => {
    const pidFile = path.join(folder, 'yes.pid');
    let pieces = 0;
    const run = await runTraced(['bash', '-c', `yes & echo $! > '${pidFile}'; wait; echo done`], {
      onOutput() {
        // Only after so many writes that one lost write hardly counts.
        if (++pieces < 200 || !fs.existsSync(pidFile)) return;
        const pid = fs.readFileSync(pidFile, 'utf8');
        if (!pid.endsWith('\n')) return;
        fs.rmSync(pidFile);
        process.kill(Number(pid), 'SIGKILL');
      },
    });
    const last = run.writes.at(-1);
    expect(last && run.textOf(last)).toBe('done\n');
    // The tracer may not show a write at all if its process is killed during it.
    expect(run.summary.coverage).toBeGreaterThan(0.9);
    expect(run.processes.find(({ command }) => command === 'yes')?.exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('does not count writes to a terminal that the program opened itself', async () => {
    const inner = 'echo inner > /dev/tty; echo inner';
    const run = await runTraced([
      'bash',
      '-c',
      `echo before; script -qec '${inner}' /dev/null > /dev/null; echo after`,
    ]);
    expect(run.writes.map(run.textOf)).toEqual(['before\n', 'after\n']);
    expect(run.summary).toMatchObject(complete);
  });

  test('keeps the raw trace on request, private and usable for reconstruction', async () => {
    const keepPath = path.join(folder, 'fd-trace.1.log');
    const run = await runTraced(['bash', agent('trace-redirects.sh')], { keepPath });
    expect(fs.statSync(keepPath).mode & 0o777).toBe(0o600);
    const { stdoutChunks, stderrChunks, diagnostics } = await reconstructStreams(keepPath);
    expect(Buffer.concat(stdoutChunks.map(({ bytes }) => bytes))).toEqual(run.stdout);
    expect(Buffer.concat(stderrChunks.map(({ bytes }) => bytes))).toEqual(run.stderr);
    expect(diagnostics).toEqual([]);
  });

  test('knows its tracer while the command runs', async () => {
    const tracers: [number | null, string | undefined][] = [];
    const run = await runTraced(['bash', '-c', 'echo x; read -r line'], {
      onOutput(session, terminal) {
        const status = fs.readFileSync(`/proc/${terminal.pid}/status`, 'utf8');
        tracers.push([session.tracerPid(), /TracerPid:\t(\d+)/.exec(status)?.[1]]);
        void terminal.write(Buffer.from('\n'));
      },
    });
    expect(run.isComplete).toBe(true);
    const [found, expected] = tracers[0] ?? [];
    expect(found).toBeGreaterThan(0);
    expect(String(found)).toBe(expected);
  });

  test('ends with its process tree and leaves nothing behind', async () => {
    const run = await runTraced(['bash', '-c', 'trap "" TERM; echo x; sleep 30 & sleep 30'], {
      onOutput: (_session, terminal) => void terminal.kill(50),
    });
    expect(run.end.signal).toBe('SIGKILL');
    expect(run.isComplete).toBe(true);
  });
});

describe('a trace session', () => {
  test('does not wait indefinitely for a process that is still traced', async () => {
    const session = await TraceSession.open({ folder, onWrite() {} });
    const [command, ...args] = session.argv(['bash', '-c', 'sleep 30 & echo $!']);
    const child = spawn(command as string, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    session.attach({ pid: child.pid as number, stdout: '/dev/pts/none', stderr: '/dev/pts/none' });
    const [[output]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(await session.finished({ deadlineMs: 100 })).toBe(false);
    expect(session.attribution.summary(0).diagnostics).toEqual([expect.stringContaining('TRACER_STILL_RUNNING')]);
    process.kill(Number(output), 'SIGKILL');
  });

  test('that was never used leaves no files behind', async () => {
    const keepPath = path.join(folder, 'unused.log');
    const session = await TraceSession.open({ folder, keepPath, onWrite() {} });
    session.abandon();
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.fifo'))).toEqual([]);
    const finished = await TraceSession.open({ folder, onWrite() {} });
    expect(await finished.finished({ deadlineMs: 60_000 })).toBe(true);
  });

  test('refuses a folder it cannot use', async () => {
    const missing = path.join(folder, 'missing');
    await expect(TraceSession.open({ folder: missing, onWrite() {} })).rejects.toMatchObject({
      code: 'TRACE_UNAVAILABLE',
    });
    const taken = path.join(folder, 'taken.log');
    fs.writeFileSync(taken, '');
    await expect(TraceSession.open({ folder, keepPath: taken, onWrite() {} })).rejects.toThrow(/taken\.log/);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.fifo'))).toEqual([]);
  });
});
