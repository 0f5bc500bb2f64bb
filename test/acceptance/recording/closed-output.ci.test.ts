import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { Terminal } from '../../../src/terminal/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, type Sandbox, sandbox, tachoCommand, until } from '../../support/tacho.ts';

function recordOf({ home, runIds }: Sandbox): RunRecord {
  return JSON.parse(fs.readFileSync(path.join(home, 'runs', runIds()[0]!, '.run.json'), 'utf8')) as RunRecord;
}

/** Null until there is a record. */
function readable(box: Sandbox): RunRecord | null {
  try {
    return recordOf(box);
  } catch {
    return null;
  }
}

test.each<[string, string[], string]>([
  ['tacho run demo', ['run', 'demo', '--engine-arg=--pace=0', '--', 'hello'], 'succeeded'],
  ['tacho demo', ['demo'], 'waiting_user'],
  ['tacho run', ['run', '--', 'sh', '-c', 'while [ ! -e flag ]; do echo more; sleep 0.01; done'], 'succeeded'],
])('%s records to the end when its output is closed', async (_what, words, status) => {
  // Not `repeats`, which leaks a listener per repetition.
  for (let round = 0; round < proofSize({ small: 1, full: 100 }); round++) {
    const box = sandbox();
    const child = box.start(words);
    child.stdin!.end();
    const exit = finished(child);
    await new Promise<void>((resolve) => child.stdout!.once('data', () => resolve()));
    child.stdout!.destroy();
    child.stderr!.destroy();
    fs.writeFileSync(path.join(box.work, 'flag'), '');
    expect((await exit).signal).toBeNull();
    expect(recordOf(box)).toMatchObject({ status, live: null });
    expect((await box.here(['verify', 'last'])).code).toBe(0);
  }
});

test.each(['0', '1', '2', '3'])(
  '`| head -1` at --translate %s gets a line, and the run is recorded completely',
  async (level) => {
    const box = sandbox();
    const run = `run demo --translate ${level} --engine-arg=--pace=0 -- hello`;
    const line = `set -o pipefail; "${process.execPath}" "${tachoCommand}" ${run} | head -1`;
    const child = spawn('bash', ['-c', line], {
      cwd: box.work,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TACHO_HOME: box.home, NO_COLOR: '1' },
    });
    const { code, stdout } = await finished(child);
    expect({ code, lines: stdout.match(/\n/g)?.length }).toEqual({ code: 0, lines: 1 });
    expect(recordOf(box)).toMatchObject({ status: 'succeeded', live: null });
    expect((await box.here(['verify', 'last'])).code).toBe(0);
  },
);

test('a hang-up of the terminal ends and seals the run', async () => {
  const box = sandbox();
  const terminal = Terminal.start({
    argv: [process.execPath, tachoCommand, 'run', '--', 'sh', '-c', 'echo ready; sleep 396'],
    cwd: box.work,
    env: { ...process.env, TACHO_HOME: box.home } as Record<string, string>,
    mode: 'merged',
    cols: 80,
    rows: 24,
    echo: true,
    marker: 'hang-up',
    lingerMs: 60_000,
    killGraceMs: 60_000,
    exclusive: false,
    onOutput: () => {},
  });
  await until(() => readable(box)?.live?.child);
  process.kill(terminal.pid, 'SIGHUP');
  await terminal.ended;
  expect(recordOf(box)).toMatchObject({ status: 'canceled', live: null });
  expect((await box.here(['verify', 'last'])).code).toBe(0);
});
