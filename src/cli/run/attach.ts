import fs from 'node:fs';
import path from 'node:path';
import { attemptFileNames, RUN_RECORD_FILE, TachoError } from '../../protocol/index.ts';
import { findRun, ptyHeaderBytes, readRunRecord } from '../../recording/index.ts';
import { ControlClient, controlPath } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';
import { FileFollower } from './file-follower.ts';

/** Ctrl-], as telnet has it: hardly any program wants it for itself. */
const DETACH = 0x1d;
const LOOK_MS = 50;

interface AttachOptions extends CommonOptions {
  fromStart?: boolean;
  readOnly?: boolean;
}

/** `tacho attach`: ends with the run, or with Ctrl-]. */
export async function attachRun(selector: string, options: AttachOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const record = readRunRecord(folder);
  if (record.live === null) {
    throw new TachoError(
      'RUN_NOT_LIVE',
      `run ${record.handle} is ${record.status}; there is no terminal to attach to`,
      {
        fix: `Watch it again with: tacho replay ${record.handle}`,
      },
    );
  }
  const control = await ControlClient.connect(controlPath(context.home, record.handle));
  const log = path.join(folder.audit, attemptFileNames(record.attempt).pty);
  const from = options.fromStart ? ptyHeaderBytes(log) : fs.statSync(log).size;
  const { stdin, stdout } = process;
  const keyboard = Boolean(stdin.isTTY) && !options.readOnly;
  const follower = new FileFollower({ path: log, from, to: stdout, addCarriageReturn: () => keyboard });
  if (keyboard) process.stderr.write(paint.dim(`attached to ${record.handle}; Ctrl-] detaches\r\n`));
  const detached = keyboard ? takeKeyboard(control) : new Promise<never>(() => {});
  const watcher = fs.watch(folder.audit, () => follower.wake());
  const looking = setInterval(() => follower.wake(), LOOK_MS);
  try {
    const ended = untilEnded(() => readRunRecord(folder).live === null, folder.path);
    const how = await Promise.race([detached.then(() => 'detached'), ended.then(() => 'ended')]);
    await follower.finish();
    if (keyboard) stdin.setRawMode(false);
    process.stderr.write(
      `\n${paint.dim(how === 'ended' ? `the run has ended: tacho show ${record.handle}` : 'detached; the run goes on')}\n`,
    );
  } finally {
    clearInterval(looking);
    watcher.close();
    control.close();
    stdin.destroy();
  }
}

/** Keys go to the run; resolves when the person wants to leave it alone. */
function takeKeyboard(control: ControlClient): Promise<void> {
  const { stdin, stdout } = process;
  stdin.setRawMode(true);
  const resize = () => void control.send({ op: 'resize', cols: stdout.columns, rows: stdout.rows }).catch(() => {});
  stdout.on('resize', resize);
  resize();
  return new Promise((resolve) => {
    stdin.on('data', (bytes: Buffer) => {
      const end = bytes.indexOf(DETACH);
      const keys = end < 0 ? bytes : bytes.subarray(0, end);
      // A run that has ended meanwhile takes no more keys.
      if (keys.length > 0) void control.send({ op: 'write', data: keys.toString('base64') }).catch(() => {});
      if (end >= 0) resolve();
    });
  });
}

function untilEnded(hasEnded: () => boolean, folder: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!hasEnded()) return;
      clearInterval(looking);
      watcher.close();
      resolve();
    };
    const looking = setInterval(look, 500);
    const watcher = fs.watch(folder, (_, name) => name === RUN_RECORD_FILE && look());
    look();
  });
}
