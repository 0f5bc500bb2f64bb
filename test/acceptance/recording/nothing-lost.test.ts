import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { readProcessStat } from '../../../src/files/index.ts';
import {
  FIRST_ATTEMPT,
  locateDataHome,
  parseRunRequest,
  type RunContext,
  settleRequest,
  supervise,
} from '../../../src/runs/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, processesWith, sandbox, temporaryFolder, until } from '../../support/tacho.ts';

describe('short commands lose no byte and leave no process behind', () => {
  const commands = proofSize({ small: 24, full: 10_000 });

  test(`${commands} commands, 8 at a time, each recorded completely`, { timeout: 1_800_000 }, async () => {
    const context = contextIn(temporaryFolder());
    const descriptors = () => fs.readdirSync('/proc/self/fd').length;
    const before = descriptors();
    let next = 0;
    let lost = 0;
    const worker = async () => {
      while (next < commands) {
        const number = next++;
        const outcome = await supervise(
          {
            request: settleRequest(
              parseRunRequest({
                command: ['/bin/sh', '-c', 'head -c 20000 /dev/zero | tr "\\0" "$1"', 'sh', String(number % 10)],
              }),
              context,
            ),
            order: { ...FIRST_ATTEMPT, exclusive: false },
          },
          context,
          {},
        );
        const recorded = fs.readFileSync(path.join(outcome.runDir, '.audit/stdout.1.log'));
        if (!recorded.equals(Buffer.alloc(20_000, String(number % 10)))) lost++;
        expect(outcome).toMatchObject({ exit_code: 0, signal: null, error: null });
        fs.rmSync(outcome.runDir, { recursive: true });
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(lost).toBe(0);
    expect(next).toBe(commands);
    await expect.poll(descriptors).toBeLessThanOrEqual(before + 4);
  });

  test('a child killed by SIGKILL: the signal is recorded', async () => {
    const { jsonHere } = sandbox();
    const answer = await jsonHere(['run', '--', 'bash', '-c', 'echo before; kill -9 $$']);
    expect(answer).toMatchObject({ exit_code: null, signal: 'SIGKILL', finished: { code: 137 } });
    expect(answer.completion).toMatchObject({ state: 'interrupted', reason_code: 'SIGNALED' });
  });

  test('a grandchild that called setsid is gone after a cancel', async () => {
    const { start, audit, runIds, home } = sandbox();
    const mark = `setsid-${process.pid}-${Date.now()}`;
    const child = start([
      'run',
      '--json',
      '--',
      'bash',
      '-c',
      `setsid bash -c 'sleep 300; : ${mark}' & echo up; sleep 300`,
    ]);
    const end = finished(child);
    await until(() => fs.existsSync(path.join(home, 'runs')) && runIds().length > 0);
    await until(
      () =>
        fs.existsSync(path.join(audit(), 'stdout.1.log')) &&
        fs.readFileSync(path.join(audit(), 'stdout.1.log'), 'utf8') === 'up\n',
    );
    await until(() => processesWith(`bash\0-c\0sleep 300; : ${mark}`).some(leadsSession));
    child.kill('SIGINT');
    const { code, stdout } = await end;
    expect(code).toBe(130);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!).completion.reason_code).toBe('CANCELED');
    expect(processesWith(mark)).toEqual([]);
    for (const name of ['meta.1.json', 'fs-diff.1.json', 'seal.1.json'])
      expect(fs.existsSync(path.join(audit(), name))).toBe(true);
  });

  test('a background grandchild with the terminal open does not delay the end of the run', async () => {
    const { jsonHere, audit, events } = sandbox();
    const mark = `held-${process.pid}-${Date.now()}`;
    const answer = await jsonHere(['run', '--', 'bash', '-c', `bash -c 'sleep 300; : ${mark}' & echo done`]);
    expect(answer).toMatchObject({ exit_code: 0, finished: { code: 0 } });
    expect(fs.readFileSync(path.join(audit(), 'stdout.1.log'), 'utf8')).toBe('done\n');
    expect(events().some(({ data }) => (data as { code?: string }).code === 'PROCESSES_LEFT_BEHIND')).toBe(true);
    expect(processesWith(mark)).toEqual([]);
  });
});

function leadsSession(pid: number): boolean {
  return readProcessStat(pid)?.session === pid;
}

function contextIn(folder: string): RunContext {
  const { config } = loadConfig({
    workspaceRoot: folder,
    env: {},
    session: { name: 'test', settings: { journal: { fsync: 'off' } } },
  });
  return { home: locateDataHome({}, folder), config, env: process.env, version: '0.0.0' };
}
