import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RuntimeClient } from '../../../src/runtime/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { until } from '../../support/tacho.ts';
import { agent, inParallel } from '../../terminal/run-terminal.ts';
import { daemonOf, sharedDaemon } from './daemon.ts';

const SESSIONS = proofSize({ small: 8, full: 64 });
const EXECS = proofSize({ small: 80, full: 10_000 });
const STREAMED_BYTES = proofSize({ small: 4_000_000, full: 1_000_000_000 });

const streaming = sharedDaemon();

describe('many sessions and commands lose no byte and leave nothing open', () => {
  test('every command returns its output, and no process, descriptor or memory leaks', {
    timeout: 600_000,
  }, async () => {
    const daemon = daemonOf();
    const client = daemon.client();
    const sessions: string[] = [];
    for (let index = 0; index < SESSIONS; index++) {
      sessions.push((await client.call('session.create', { kind: 'shell' })).session_id);
    }
    const work = (first: number, count: number) =>
      inParallel(sessions, SESSIONS, async (session_id) => {
        const own = sessions.indexOf(session_id);
        for (let number = first + own; number < first + count; number += SESSIONS) {
          // Half of them in the session's shell, the others as separate programs.
          const where =
            number % 2 === 0 ? { session_id, command: script(number) } : { argv: ['sh', '-c', script(number)] };
          expect(outcome(await client.call('exec.run', where))).toEqual(expected(number));
        }
      });
    await work(0, EXECS / 2);
    const before = resourcesOf(daemon.serverFile().pid);
    await work(EXECS / 2, EXECS / 2);
    const after = resourcesOf(daemon.serverFile().pid);
    expect(after.rss - before.rss).toBeLessThan(30_000_000);
    await expect.poll(() => resourcesOf(daemon.serverFile().pid).zombies).toEqual([]);
    await expect
      .poll(() => resourcesOf(daemon.serverFile().pid).descriptors)
      .toBeLessThanOrEqual(before.descriptors + 8);
    await client.call('runtime.cleanup', {});
    expect(await client.call('runtime.status', {})).toMatchObject({
      sessions: { active: 0 },
      registry: { entries: 0 },
    });
    // The daemon probes the machine with short programs, which end by themselves.
    await until(() => resourcesOf(daemon.serverFile().pid).children.length === 0);
  });

  test.each(['text', 'numbers'])('every byte of a large output arrives: %s', { timeout: 300_000 }, async (kind) => {
    const client = streaming.client();
    const { session_id } = await client.call('session.create', { kind: 'shell' });
    const argv = [process.execPath, agent('print-much.mjs'), kind, String(STREAMED_BYTES)];
    const printed = await hashed((take) => spawnDirectly(argv, take));
    expect(printed.bytes).toBe(STREAMED_BYTES);
    const streamed = (where: { argv: string[] } | { session_id: string; command: string }) =>
      hashed((take) =>
        client.call('exec.stream', { ...where, when_behind: 'wait', max_output_bytes: 0 }, ({ data, encoding }) =>
          take(Buffer.from(data, encoding)),
        ),
      );
    // Both concurrently, on one connection.
    const asked = [{ argv }, { session_id, command: argv.join(' ') }];
    expect(await Promise.all(asked.map(streamed))).toEqual([printed, printed]);
  });
});

const script = (number: number) => `seq ${number} ${number + 300}; echo "e${number}" >&2; (exit ${number % 7})`;

function expected(number: number) {
  const lines = Array.from({ length: 301 }, (_, index) => `${number + index}\n`).join('');
  return { exit_code: number % 7, stdout: lines, stderr: `e${number}\n` };
}

function outcome(result: Awaited<ReturnType<RuntimeClient['call']>>) {
  const { exit_code, stdout, stderr } = result as {
    exit_code: number;
    stdout: { data: string };
    stderr: { data: string };
  };
  return { exit_code, stdout: stdout.data, stderr: stderr.data };
}

async function hashed(run: (take: (bytes: Buffer) => void) => Promise<unknown>) {
  const hash = createHash('sha256');
  let bytes = 0;
  await run((piece) => {
    hash.update(piece);
    bytes += piece.length;
  });
  return { bytes, sha256: hash.digest('hex') };
}

/** Spawns the program directly, for comparison. */
function spawnDirectly(argv: readonly string[], take: (bytes: Buffer) => void): Promise<unknown> {
  const child = spawn(argv[0]!, argv.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', take);
  return new Promise((resolve) => child.on('close', resolve));
}

function resourcesOf(pid: number) {
  const children = fs
    .readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readIfThere(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean));
  const stateOf = (child: string) => /\) (\w)/.exec(readIfThere(`/proc/${child}/stat`))?.[1];
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');
  return {
    children,
    zombies: children.filter((child) => stateOf(child) === 'Z'),
    descriptors: fs.readdirSync(`/proc/${pid}/fd`).length,
    rss: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024,
  };
}

/** Empty when the process or the thread is gone. */
function readIfThere(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
