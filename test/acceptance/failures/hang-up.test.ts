import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { openPty } from '../../../src/terminal/pty.ts';
import { processesWith, tachoCommand, until } from '../../support/tacho.ts';
import { expectSound, makePlace } from './drive.ts';

test.each(['split', 'merged'])('a hang-up of the terminal ends and seals a local run (%s)', async (capture) => {
  const place = makePlace();
  const mark = `hang-up-${process.pid}-${capture}`;
  const pty = openPty({ cols: 80, rows: 24, echo: true, outputProcessing: true });
  const words = ['-c', process.execPath, tachoCommand, 'run', '--capture', capture, '--', 'sh', '-c'];
  const recorder = spawn('setsid', [...words, `: ${mark}; trap "" HUP; while :; do echo more; sleep 0.01; done`], {
    stdio: [pty.programSlave, pty.programSlave, pty.programSlave],
    cwd: place.workspace,
    env: { ...process.env, TACHO_HOME: place.home },
  });
  const ended = new Promise((resolve) => recorder.once('exit', (code, signal) => resolve({ code, signal })));
  fs.closeSync(pty.programSlave);
  fs.closeSync(pty.slave);
  await until(() => programsWith(mark).length > 0);
  fs.closeSync(pty.master);
  expect(await ended).toEqual({ code: 130, signal: null });
  expect(processesWith(mark)).toEqual([]);
  const [run] = await expectSound(place, mark);
  expect(run).toMatchObject({ status: 'canceled', last: { reason_code: 'CANCELED' } });
});

/** Besides the recorder, whose command line holds the mark too. */
function programsWith(mark: string): number[] {
  const marked = processesWith(mark);
  const recorders = processesWith(tachoCommand);
  return marked.filter((pid) => !recorders.includes(pid));
}
