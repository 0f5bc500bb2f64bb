import fs from 'node:fs';
import path from 'node:path';

/** The npm package that a program belongs to. */
export interface EnginePackage {
  name: string;
  version: string;
  /** The versions of Node that it supports, as npm writes them: `>=22.19.0`. */
  needsNode: string | null;
}

/** Reads the package without running the program, which takes seconds with some engines; null outside of a package. */
export function packageOf(program: string): EnginePackage | null {
  let folder = path.dirname(fs.realpathSync(program));
  for (;;) {
    const found = readPackage(folder);
    if (found) return found;
    const parent = path.dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

/** Whether Node runs the program; a shell script or a binary brings what it needs. */
export function isNodeScript(program: string): boolean {
  return /^#!.*\bnode\b/.test(beginningOf(program).split('\n', 1)[0]!);
}

/** Whether it is machine code, as opposed to a script of any kind. */
export function isBinary(program: string): boolean {
  return beginningOf(program).startsWith('\u007fELF');
}

function beginningOf(program: string): string {
  const beginning = Buffer.alloc(128);
  const file = fs.openSync(program, 'r');
  try {
    fs.readSync(file, beginning);
  } finally {
    fs.closeSync(file);
  }
  return beginning.toString('latin1');
}

/** Null if there is no package.json, or only one that says how files are read. */
export function readPackage(folder: string): EnginePackage | null {
  try {
    const file = path.join(folder, 'package.json');
    const { name, version, engines } = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof version !== 'string') return null;
    const node = (engines as { node?: unknown } | null | undefined)?.node;
    return { name, version, needsNode: typeof node === 'string' ? node : null };
  } catch {
    return null;
  }
}
