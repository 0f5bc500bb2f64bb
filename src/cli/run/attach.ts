import fs from 'node:fs';
import path from 'node:path';
import { watchFolder } from '../../files/index.ts';
import { attemptFileNames, statusPhrase, TachoError } from '../../protocol/index.ts';
import { findRun, ptyHeaderBytes } from '../../recording/index.ts';
import { ControlClient, locateControl, whenLeft, whenStarted } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';
import { writeOut } from '../output/write-out.ts';
import { openAnswering } from '../terminal/open-answering.ts';
import { OwnTerminal } from '../terminal/own-terminal.ts';
import { afterSignal, nextSignal } from '../terminal/terminal-exit.ts';
import { FileFollower } from './file-follower.ts';

interface AttachOptions extends CommonOptions {
  fromStart?: boolean;
  readOnly?: boolean;
}

/** `tacho attach`: ends with the run, or with Ctrl-]. */
export async function attachRun(selector: string, options: AttachOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const record = await whenStarted(folder);
  if (record.live === null) {
    throw new TachoError(
      'RUN_NOT_LIVE',
      `run ${record.handle} ${statusPhrase(record)}; there is no terminal to attach to`,
      {
        fix: `Watch it again with: tacho replay ${record.handle}`,
      },
    );
  }
  const control = await ControlClient.connect(locateControl(context.home, record.handle));
  const log = path.join(folder.audit, attemptFileNames(record.attempt).pty);
  const joinedAt = fs.statSync(log).size;
  const signaled = nextSignal();
  const own = await takeTerminal(control, options.readOnly ?? false);
  const follower = new FileFollower({
    path: log,
    from: options.fromStart ? ptyHeaderBytes(log) : joinedAt,
    joinedAt,
    to: process.stdout,
    addCarriageReturn: () => (own?.keyboard ?? false) && record.live?.capture.mode !== 'merged',
    show: (bytes, when) => (own ? own.show(bytes, when) : writeOut(process.stdout, bytes)),
  });
  if (own?.keyboard)
    process.stderr.write(paint.dim(`attached to ${record.handle}; ${leavingKeys(options)} detaches\r\n`));
  const leaving = new AbortController();
  const ended = whenLeft(folder, record, { recovers: false, signal: leaving.signal }).then((): 'ended' => 'ended');
  // After detaching, nothing awaits it.
  ended.catch(() => {});
  const watch = watchFolder(
    folder.audit,
    (name) => name === path.basename(log),
    () => follower.wake(),
  );
  follower.wake();
  try {
    const detached = own?.left.then((): 'detached' => 'detached') ?? signaled;
    const how = await Promise.race([signaled, ended, detached]);
    await follower.finish();
    own?.restore();
    const notice =
      how === 'ended' ? `the run has ended: tacho show ${record.handle}` : 'detached; the run keeps running';
    process.stderr.write(`${paint.dim(notice)}\n`);
    if (how !== 'ended' && how !== 'detached') process.exitCode = afterSignal(how);
  } finally {
    leaving.abort();
    watch.stop();
    control.close();
    own?.restore();
    process.stdin.destroy();
  }
}

function leavingKeys({ readOnly }: AttachOptions): string {
  return readOnly ? 'Ctrl-] or Ctrl-C' : 'Ctrl-]';
}

/** Sends keys and sizes to the run, unless it is read-only. */
async function takeTerminal(control: ControlClient, readOnly: boolean): Promise<OwnTerminal | null> {
  // The run may have ended meanwhile and reject them.
  const send = (request: Parameters<ControlClient['send']>[0]) => void control.send(request).catch(() => {});
  const onResize = (size: { cols: number; rows: number }) => {
    if (!readOnly) send({ op: 'resize', ...size });
  };
  const onKeys = (keys: Buffer) => send({ op: 'write', data: keys.toString('base64') });
  const answering = readOnly ? null : await openAnswering(onKeys);
  const own = OwnTerminal.take({ use: readOnly ? 'look' : 'attach', onKeys, onResize, answering });
  if (own?.keyboard) onResize({ cols: process.stdout.columns, rows: process.stdout.rows });
  return own;
}
