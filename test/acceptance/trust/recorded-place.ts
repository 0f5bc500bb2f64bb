import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { VerificationAnswer } from '../../../src/protocol/index.ts';
import type { Finished } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import type { Place } from './forge.ts';

/** A place for forgeries that can be restored to the recorded state. */
export interface RecordedPlace extends Place {
  tacho(args: readonly string[]): Promise<Finished>;
  /** The answer of `tacho verify`. */
  verify(): Promise<VerificationAnswer>;
  restore(): void;
  /** The folder of the copies, to be removed at the end. */
  kept: string;
}

const RESTORED = ['runs', 'ledger', 'keys', 'live'];

/** Records two runs into a data folder: one with two attempts, a conversation and files, and another one. */
export async function recordPlace(home: string): Promise<RecordedPlace> {
  const kept = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-forgeries-'));
  const env = { ...process.env, TACHO_HOME: home, NO_COLOR: '1' } as Record<string, string>;
  const tacho = (args: readonly string[]) => tachoHere(args, { cwd: home, input: '', env });
  const ids = () => fs.readdirSync(path.join(home, 'runs')).sort();
  const demo = (...more: string[]) => tacho(['run', 'demo', '--engine-arg=--pace=0', ...more, '--', 'write a report']);

  await demo('--scratch');
  const [runId] = ids() as [string];
  const run = path.join(home, 'runs', runId);
  const earlier = path.join(kept, 'earlier');
  copy(run, earlier);
  await demo('--run-dir', run);
  await tacho(['run', '--scratch', '--', 'sh', '-c', 'echo other']);
  const other = path.join(kept, 'other');
  copy(path.join(home, 'runs', ids().find((id) => id !== runId)!), other);
  for (const name of RESTORED) copy(path.join(home, name), path.join(kept, 'home', name));

  return {
    home,
    runId,
    run,
    audit: path.join(run, '.audit'),
    other,
    earlier,
    kept,
    tacho,
    async verify() {
      const { stdout } = await tacho(['verify', '--json', runId]);
      return JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as VerificationAnswer;
    },
    restore() {
      for (const name of RESTORED) restoreFolder(path.join(kept, 'home', name), path.join(home, name));
    },
  };
}

/** Makes one folder equal to the other; keeps equal files, because removing files is slower than reading them. */
function restoreFolder(from: string, to: string): void {
  const kind = fs.lstatSync(from);
  const there = fs.lstatSync(to, { throwIfNoEntry: false });
  if (kind.isDirectory() && there?.isDirectory()) {
    const names = fs.readdirSync(from);
    for (const name of fs.readdirSync(to)) if (!names.includes(name)) remove(path.join(to, name));
    for (const name of names) restoreFolder(path.join(from, name), path.join(to, name));
  } else if (!(kind.isFile() && there?.isFile() && fs.readFileSync(from).equals(fs.readFileSync(to)))) {
    remove(to);
    copy(from, to);
  }
}

function copy(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

function remove(file: string): void {
  fs.rmSync(file, { recursive: true, force: true });
}
