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
    const found = readPackage(path.join(folder, 'package.json'));
    if (found) return found;
    const parent = path.dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

/** Whether Node runs the program; a shell script or a binary brings what it needs. */
export function isNodeScript(program: string): boolean {
  const beginning = Buffer.alloc(128);
  const file = fs.openSync(program, 'r');
  try {
    fs.readSync(file, beginning);
  } finally {
    fs.closeSync(file);
  }
  return /^#!.*\bnode\b/.test(beginning.toString('latin1').split('\n', 1)[0]!);
}

/** A folder may have no package.json, or one that only says how its files are read. */
function readPackage(file: string): EnginePackage | null {
  try {
    const { name, version, engines } = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof version !== 'string') return null;
    const node = (engines as { node?: unknown } | null | undefined)?.node;
    return { name, version, needsNode: typeof node === 'string' ? node : null };
  } catch {
    return null;
  }
}
