import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { RuntimeParams } from '../../../src/protocol/terminal/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { removeFolder } from '../../support/tacho.ts';
import { waysToRuntime } from './daemon.ts';
import { openShell, type RuntimeUnderTest, type Shell } from './runtime.ts';
import { findProgram } from './single-file.ts';

export interface ShellUnderTest {
  /** bash and zsh have features beyond POSIX. */
  dialect: 'bash' | 'zsh' | 'posix';
  openRuntime(): RuntimeUnderTest;
  open(runtime: RuntimeUnderTest, params?: RuntimeParams<'session.create'>): Promise<Shell>;
}

/**
 * Every shell that a session may have: those of this machine, and the `sh` of others. Sessions run in this process;
 * bash also over the socket of a real daemon, where only the transport differs.
 */
export function shellsUnderTest(): (readonly [string, ShellUnderTest])[] {
  const [[, inProcess], [, overSocket]] = waysToRuntime() as [
    [string, () => RuntimeUnderTest],
    [string, () => RuntimeUnderTest],
  ];
  const shell = (
    dialect: ShellUnderTest['dialect'],
    params: RuntimeParams<'session.create'>,
    openRuntime = inProcess,
  ): ShellUnderTest => ({
    dialect,
    openRuntime,
    open: (runtime, more) => openShell(runtime, { ...params, ...more }),
  });
  const twice = proofSize({ small: [], full: [['bash', shell('bash', { shell: 'bash' })] as const] });
  return [
    ['bash, over the socket', shell('bash', { shell: 'bash' }, overSocket)],
    ...twice,
    ['zsh', shell('zsh', { shell: 'zsh' })],
    ['dash as sh', shell('posix', asSh('dash'))],
    ['busybox as sh', shell('posix', asSh('busybox'))],
    ['bash as sh', shell('bash', asSh('bash'))],
  ];
}

/** A PATH on which `sh` is that program. */
function asSh(program: string): RuntimeParams<'session.create'> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-sh-'));
  afterAll(() => removeFolder(folder));
  fs.symlinkSync(findProgram(program), path.join(folder, 'sh'));
  return { shell: 'sh', env: { set: { PATH: `${folder}:${process.env.PATH}` } } };
}
