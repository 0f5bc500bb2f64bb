import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { embeddedList } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { Machine } from './machine.ts';
import { COPY_PLACES, installScript, READY } from './remote-scripts.ts';

/** The single executable, and its name on a machine that it is copied to. */
export interface ProgramCopy {
  file: string;
  name: string;
  bytes: number;
}

/** By the file's identity when it was read: reading a hundred megabytes takes longer than connecting. */
const known = new Map<string, ProgramCopy>();

/** The copy, if its name is already known. */
export function knownCopy(singleFile: string): ProgramCopy | null {
  const file = localFile(singleFile);
  return file === null ? null : (known.get(stampOf(file)) ?? null);
}

/** Named by its content: another build is another file, and an executable in use is not written to. */
export async function nameCopy(singleFile: string): Promise<ProgramCopy> {
  const file = localFile(singleFile);
  if (file === null) {
    throw new TachoError('COMMAND_UNAVAILABLE', 'there is no tacho on the target, and no single executable to copy', {
      fix: 'Install tacho there, or make the executable with: npm run build:single',
    });
  }
  const stamp = stampOf(file);
  const hash = createHash('sha256');
  await pipeline(fs.createReadStream(file), hash).catch((cause: Error) => {
    throw new TachoError('CONFIG_INVALID', `the single executable cannot be read: ${cause.message}`, {
      facts: { path: file },
      fix: 'Correct targets.single_file.',
      cause,
    });
  });
  const copy = { file, name: `tacho-${hash.digest('hex').slice(0, 16)}`, bytes: fs.statSync(file).size };
  known.set(stamp, copy);
  return copy;
}

/** Copies it to a machine, to the first folder there that accepts it. */
export async function copyProgram(machine: Machine, copy: ProgramCopy): Promise<void> {
  const problems: string[] = [];
  for (const place of COPY_PLACES) {
    const problem = await install(machine, installScript(place), copy);
    if (problem === null) return;
    problems.push(problem);
  }
  throw new TachoError('COMMAND_UNAVAILABLE', `tacho could not be copied to the target: ${problems.join('; ')}`, {
    facts: { file: copy.name, bytes: copy.bytes },
    fix: 'Make room there, or install tacho and name it as the program of the target.',
  });
}

/** The error on the other side; null if it succeeded. */
async function install(machine: Machine, script: string, { file, name, bytes }: ProgramCopy): Promise<string | null> {
  const words = [name, String(bytes), randomBytes(6).toString('hex')];
  const { stdin, stdout, ended } = await machine.start(['sh', '-c', script, 'sh', ...words]);
  stdin.on('error', () => {}); // The exit status reports it.
  let source: fs.ReadStream | null = null;
  // Not a pipeline, which would wait until all output was read.
  let printed = '';
  for await (const piece of stdout) {
    printed += String(piece);
    if (printed.includes(READY)) source ??= send(file, stdin);
  }
  const { exitCode, stderr } = await ended;
  source?.destroy();
  if (exitCode === null) throw new TachoError('SERVER_UNREACHABLE', 'the connection was lost while tacho was copied');
  return exitCode === 0 ? null : stderr || `exit code ${exitCode}`;
}

function send(file: string, stdin: Writable): fs.ReadStream {
  const source = fs.createReadStream(file);
  source.once('error', () => stdin.end()).pipe(stdin);
  return source;
}

/** This program if it is a single executable; otherwise the configured or built one. */
function localFile(singleFile: string): string | null {
  if (singleFile !== '') return singleFile;
  if (embeddedList()) return process.execPath;
  const here = import.meta.dirname;
  const places = ['../build/tacho', '../../../build/tacho'].map((place) => path.resolve(here, place));
  return places.find((place) => fs.existsSync(place)) ?? null;
}

function stampOf(file: string): string {
  const { ino, size, mtimeMs } = fs.statSync(file, { throwIfNoEntry: false }) ?? { ino: 0, size: 0, mtimeMs: 0 };
  return [file, ino, size, mtimeMs].join(' ');
}
