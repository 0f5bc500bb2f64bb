import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isSea } from 'node:sea';
import { isNodeScript } from './engine-package.ts';
import { compareVersions } from './engine-version.ts';

/** Which Node starts a program. */
export type NodeChoice =
  | { kind: 'own' } // The program starts as it is: it needs no Node, or the one on PATH is new enough.
  | { kind: 'other'; node: string }
  | { kind: 'missing'; minimum: string; found: string[] };

/** A Node that takes longer to tell its version is not usable. */
const PATIENCE_MS = 5000;
const versions = new Map<string, string | null>();

/**
 * An engine may need a newer Node than the first one on PATH, with which it would start by itself. Then the one beside
 * the program is used, or a later one on PATH, or tacho's own.
 */
export function chooseNode(
  { path: program, needsNode }: { path: string; needsNode: string | null },
  searchPath: string,
): NodeChoice {
  const minimum = minimumOf(needsNode);
  if (minimum === null || !isNodeScript(program)) return { kind: 'own' };
  // A relative folder on PATH would be a different one in the workspace, from which no program must be run.
  const [first, ...later] = searchPath.split(':').filter(path.isAbsolute).map(nodeIn).filter(isPresent);
  if (first !== undefined && isAtLeast(first, minimum)) return { kind: 'own' };
  const others = [nodeIn(path.dirname(program)), ...later, ...(isSea() ? [] : [process.execPath])].filter(isPresent);
  const node = others.find((candidate) => isAtLeast(candidate, minimum));
  if (node !== undefined) return { kind: 'other', node };
  const looked = new Set([...(first === undefined ? [] : [first]), ...others].map((file) => fs.realpathSync(file)));
  const found = [...looked].map((file) => `${file} (${nodeVersion(file) ?? 'unusable'})`);
  return { kind: 'missing', minimum, found };
}

/** `>=22.19.0` needs at least 22.19.0. Other kinds of ranges do not occur; such a program is started as it is. */
function minimumOf(range: string | null): string | null {
  return /^\s*>=\s*v?(\d+(?:\.\d+){0,2})/.exec(range ?? '')?.[1] ?? null;
}

function isAtLeast(node: string, minimum: string): boolean {
  const version = nodeVersion(node);
  return version !== null && compareVersions(version, minimum) >= 0;
}

/** Asked once: a Node does not change its version while tacho runs. */
function nodeVersion(node: string): string | null {
  const known = versions.get(node);
  if (known !== undefined) return known;
  const version = isThisNode(node) ? process.versions.node : askVersion(node);
  versions.set(node, version);
  return version;
}

function isThisNode(node: string): boolean {
  return !isSea() && fs.realpathSync(node) === fs.realpathSync(process.execPath);
}

function askVersion(node: string): string | null {
  const { stdout } = spawnSync(node, ['--version'], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /^v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? null;
}

function nodeIn(folder: string): string {
  return path.join(folder, 'node');
}

function isPresent(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
