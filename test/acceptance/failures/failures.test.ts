import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunRecord, RuntimeParams } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import {
  Daemon,
  driveCommand,
  expectAllVerified,
  makePlace,
  type Place,
  records,
  sharedPlace,
  WITHOUT_TERMINALS,
} from './drive.ts';

type CreateSession = RuntimeParams<'session.create'>;

/** A failure, tested with a command in a terminal and with a recorded session. */
interface Failure {
  title: string;
  place?(): Partial<Place>;
  /** Before the program is recorded. */
  arrange?(place: Place): void;
  /** Earlier versions crashed or hung here; `npm run test:heavy` repeats it. */
  crashed?: boolean;
  /** The recorder dies too, so the caller gets no error. */
  killsRecorder?: boolean;
  command: Expected & { argv(place: Place, mark: string): readonly string[]; options?(place: Place): string[] };
  session: Expected & { params(place: Place, mark: string): CreateSession };
}

interface Expected {
  /** The code of the error that the caller gets. */
  errorCode: string | null;
  /** How the run ended; null when no run was created. */
  ended: { status: RunRecord['status']; reason_code: string } | null;
}

/** In addition to the first time. */
const REPEATS = proofSize({ small: 0, full: 99 });
const SUCCEEDED = { status: 'succeeded', reason_code: 'EXIT_ZERO' } as const;
const failed = (reason_code: string) => ({ status: 'failed', reason_code }) as const;
const script = (mark: string, text: string) => ['sh', '-c', `: ${mark}; ${text}`];
/** Few enough bytes to start tacho with them, but too many for a program with its variables. */
const MANY_WORDS = Array.from({ length: 16 }, () => 'x'.repeat(130_500));

const failures: readonly Failure[] = [
  {
    title: 'no terminal can be opened',
    crashed: true,
    place: () => ({ entry: WITHOUT_TERMINALS }),
    command: {
      argv: (_, mark) => script(mark, 'sleep 1000'),
      errorCode: 'TERMINAL_FAILED',
      ended: failed('TERMINAL_FAILED'),
    },
    session: {
      params: (_, mark) => ({ kind: 'pty', argv: script(mark, 'sleep 1000') }),
      errorCode: 'TERMINAL_FAILED',
      ended: failed('TERMINAL_FAILED'),
    },
  },
  {
    title: 'the command line is too long',
    crashed: true,
    command: {
      argv: (_, mark) => [...script(mark, 'sleep 1000'), ...MANY_WORDS],
      errorCode: 'INVALID_REQUEST',
      ended: null,
    },
    session: {
      params: (_, mark) => ({ kind: 'pty', argv: [...script(mark, 'sleep 1000'), ...MANY_WORDS, ...MANY_WORDS] }),
      errorCode: 'TERMINAL_FAILED',
      ended: failed('TERMINAL_FAILED'),
    },
  },
  {
    title: 'the program is missing',
    command: { argv: () => ['no-such-program'], errorCode: 'COMMAND_NOT_FOUND', ended: null },
    session: {
      params: () => ({ kind: 'exec', argv: ['no-such-program'] }),
      errorCode: 'COMMAND_UNAVAILABLE',
      ended: failed('COMMAND_UNAVAILABLE'),
    },
  },
  {
    title: 'the program exits at once',
    command: { argv: () => ['true'], errorCode: null, ended: SUCCEEDED },
    session: { params: () => ({ kind: 'pty', argv: ['true'] }), errorCode: null, ended: SUCCEEDED },
  },
  {
    title: 'the shell exits before its first answer',
    crashed: true,
    command: { argv: () => ['sh', '-c', 'exit 3'], errorCode: null, ended: failed('EXIT_NONZERO') },
    session: {
      params: ({ workspace }) => ({ kind: 'shell', env: { set: { PATH: folderWithShell(workspace, 'exit 3') } } }),
      errorCode: 'COMMAND_UNAVAILABLE',
      ended: failed('EXIT_NONZERO'),
    },
  },
  {
    title: 'the working folder is deleted before the end',
    arrange: ({ workspace }) => fs.mkdirSync(path.join(workspace, 'gone')),
    command: {
      argv: ({ workspace }) => ['rm', '-r', path.join(workspace, 'gone')],
      options: ({ workspace }) => ['--cwd', path.join(workspace, 'gone')],
      errorCode: 'CWD_NOT_FOUND',
      ended: SUCCEEDED,
    },
    session: {
      params: ({ workspace }) => ({
        kind: 'pty',
        argv: ['rm', '-r', path.join(workspace, 'gone')],
        cwd: path.join(workspace, 'gone'),
      }),
      errorCode: null,
      ended: SUCCEEDED,
    },
  },
  {
    title: 'a file in approvals/ cannot be read',
    crashed: true,
    arrange: ({ home }) => {
      fs.mkdirSync(path.join(home, 'approvals'), { recursive: true });
      fs.writeFileSync(path.join(home, 'approvals', 'a-1.request.json'), '{"garbage');
      fs.mkdirSync(path.join(home, 'approvals', 'a-2.request.json'));
    },
    command: {
      argv: () => ['hello'],
      options: () => ['demo'],
      errorCode: null,
      ended: { status: 'succeeded', reason_code: 'DONE_MARKER' },
    },
    session: { params: () => ({ kind: 'exec', argv: ['true'] }), errorCode: null, ended: SUCCEEDED },
  },
  {
    title: 'the program kills its recorder at its first step',
    killsRecorder: true,
    command: {
      argv: (_, mark) => script(mark, 'trap "" HUP; kill -9 $PPID; sleep 1000'),
      errorCode: null,
      ended: failed('SUPERVISOR_LOST'),
    },
    session: {
      params: (_, mark) => ({ kind: 'pty', argv: script(mark, 'trap "" HUP; kill -9 $PPID; sleep 1000') }),
      errorCode: null,
      ended: failed('SUPERVISOR_LOST'),
    },
  },
];

/** If only the program is faulty, one daemon records all sessions: it must survive each of them. */
const shared = sharedPlace();

describe.each(failures)('when $title', ({ title, crashed, place: more, arrange, command, session, killsRecorder }) => {
  const repeats = crashed ? REPEATS : 0;
  const mark = `failure-${process.pid}-${title.replaceAll(/\W+/g, '-')}`;

  test('a command in a terminal leaves a valid record', { repeats }, async () => {
    const place = makePlace(more?.());
    arrange?.(place);
    const { errorCode } = await driveCommand(place, command.argv(place, mark), command.options?.(place));
    const all = await expectAllVerified(place, mark);
    expect(errorCode).toBe(command.errorCode);
    expect(all.map(endOf)).toEqual(command.ended ? [command.ended] : []);
  });

  test('a recorded session leaves a valid record', { repeats }, async () => {
    const own = more !== undefined || killsRecorder || repeats > 0 ? makePlace(more?.()) : null;
    const place = own ?? shared.place;
    const daemon = own ? new Daemon(own) : await shared.daemon();
    if (own) await daemon.warmUp();
    const { pid } = daemon;
    arrange?.(place);
    const earlier = records(place).map(({ run_id }) => run_id);
    const { errorCode } = await daemon.record(session.params(place, mark));
    if (!killsRecorder) {
      expect(errorCode).toBe(session.errorCode);
      expect(daemon.pid).toBe(pid);
      await daemon.expectNothingOpen();
    }
    const all = (await expectAllVerified(place, mark)).filter(({ run_id }) => !earlier.includes(run_id));
    expect(all.map(endOf)).toEqual(session.ended ? [session.ended] : []);
  });
});

function endOf({ status, last }: RunRecord) {
  return { status, reason_code: last?.reason_code };
}

function folderWithShell(workspace: string, text: string): string {
  const folder = path.join(workspace, 'bin');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'bash'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return folder;
}
