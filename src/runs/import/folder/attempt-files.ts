import fs from 'node:fs';
import path from 'node:path';
import { AUDIT_FOLDER, TachoError } from '../../../protocol/index.ts';

/** Names of the files of an attempt, without the number; other recorders have their own for some. */
const KINDS: Readonly<Record<string, keyof AttemptFiles>> = {
  'meta.json': 'meta',
  'stdin.log': 'stdin',
  'stdout.log': 'stdout',
  'stderr.log': 'stderr',
  'pty-output.log': 'pty',
  'pty.log': 'pty',
  'pty-timing.log': 'timing',
  'fd-trace.log': 'trace',
  'fs-diff.json': 'diff',
};
const NAME = /^([a-z-]+)\.([1-9]\d{0,3})(?:\.reconstructed)?\.(json|log)$/;
const MAX_NAMES = 100_000;

/** Paths of the files of one attempt, as far as they are there. */
export interface AttemptFiles {
  meta: string | null;
  stdin: string | null;
  stdout: string | null;
  stderr: string | null;
  pty: string | null;
  timing: string | null;
  trace: string | null;
  diff: string | null;
}

/** The attempts in a folder: those in its `.audit`, or in itself, in the order of their numbers. */
export function findAttempts(folder: string): { number: number; files: AttemptFiles }[] {
  const audit = path.join(folder, AUDIT_FOLDER);
  const place = isFolder(audit) ? audit : folder;
  const names = namesIn(place, folder);
  if (names.some((name) => /^seal\.\d+\.json$/.test(name))) {
    throw refused(folder, 'a record of tacho', `It needs no import: tacho verify ${folder}`);
  }
  const attempts = new Map<number, AttemptFiles>();
  for (const name of names) {
    const [, kind, number, ending] = NAME.exec(name) ?? [];
    const field = KINDS[`${kind}.${ending}`];
    if (!field) continue;
    const files = attempts.get(Number(number)) ?? { ...NO_FILES };
    files[field] = path.join(place, name);
    attempts.set(Number(number), files);
  }
  if (attempts.size === 0) {
    const seen = names.length === 0 ? 'an empty folder' : `a folder with ${names.slice(0, 3).join(', ')}`;
    throw refused(
      folder,
      seen,
      'A folder of attempts has stdout.1.log, pty-output.1.log or fd-trace.1.log, possibly in .audit.',
    );
  }
  return [...attempts].map(([number, files]) => ({ number, files })).sort((one, other) => one.number - other.number);
}

const NO_FILES: AttemptFiles = {
  meta: null,
  stdin: null,
  stdout: null,
  stderr: null,
  pty: null,
  timing: null,
  trace: null,
  diff: null,
};

/** False for a link: what it leads to is not part of the folder. */
function isFolder(place: string): boolean {
  try {
    return fs.lstatSync(place).isDirectory();
  } catch {
    return false; // Reading the folder itself then says why.
  }
}

function namesIn(place: string, folder: string): string[] {
  const names: string[] = [];
  let opened: fs.Dir;
  try {
    opened = fs.opendirSync(place);
  } catch (cause) {
    throw new TachoError('IMPORT_FAILED', `${folder} cannot be read: ${(cause as Error).message}`, {
      facts: { path: folder },
      cause,
      fix: 'Give the folder of a run, or its .audit.',
    });
  }
  try {
    for (let entry = opened.readSync(); entry && names.length < MAX_NAMES; entry = opened.readSync())
      names.push(entry.name);
  } finally {
    opened.closeSync();
  }
  return names.sort();
}

function refused(path: string, seen: string, fix: string): TachoError {
  return new TachoError('IMPORT_FORMAT_UNKNOWN', `${path} cannot be imported: it looks like ${seen}`, {
    facts: { path, seen },
    fix,
  });
}
