import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { EngineProfile } from '../../engines/index.ts';
import { type Flock, pollUntil, readRegularFile, takeFolderFlock } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { writeWhole } from '../../recording/index.ts';
import { holds, type LaunchValues, renderTemplate } from './launch-template.ts';

const LOCK_TIMEOUT_MS = 10_000;
const LOCK_POLL_INTERVAL_MS = 20;

/**
 * Writes the trust and settings that an engine needs to run unattended into the managed home: merged with existing
 * ones, so that repeating it changes nothing; under a lock, because runs share the home; and never outside of it.
 */
export async function prepareEngineHome(profile: EngineProfile, values: LaunchValues): Promise<void> {
  makeEngineFolders(profile, values.home);
  if (profile.files.length === 0) return;
  const lock = await takeHome(values.home);
  try {
    for (const { path: name, content, defaults = {}, when } of profile.files) {
      if (when !== undefined && !holds(when, values)) continue;
      const file = confined(values.home, name);
      mergeFile(file, { enforced: renderTemplate(content, values), defaults: renderTemplate(defaults, values) });
    }
  } finally {
    lock.release();
  }
}

/** Makes the folders that the engine wants to find. */
export function makeEngineFolders({ folders = [] }: EngineProfile, home: string): void {
  for (const folder of folders) fs.mkdirSync(confinedFolder(home, folder), { recursive: true, mode: 0o700 });
}

/** Waits for another run that is preparing the same home. */
async function takeHome(home: string): Promise<Flock> {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const lock = await pollUntil(() => takeFolderFlock(home), {
    everyMs: LOCK_POLL_INTERVAL_MS,
    timeoutMs: LOCK_TIMEOUT_MS,
  });
  if (lock) return lock;
  throw new TachoError('ENGINE_BUSY', `another process still holds a lock on ${home}`, {
    facts: { path: home },
    fix: 'Wait for the other run to start, then try again.',
  });
}

/** Copies the engine's credentials from the user's own home. Only on request: it is the one exception to isolation. */
export function copyCredentials(profile: EngineProfile, managedHome: string, userHome = os.homedir()): string[] {
  const copied: string[] = [];
  for (const name of profile.credentialFiles) {
    const from = path.join(userHome, name);
    if (!fs.existsSync(from)) continue;
    const to = confined(managedHome, name);
    fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    writeWhole(to, fs.readFileSync(from, 'utf8'), { replace: true });
    copied.push(name);
  }
  if (copied.length > 0) return copied;
  throw new TachoError('CREDENTIALS_NOT_FOUND', `no credentials of ${profile.title} in ${userHome}`, {
    facts: { engine: profile.name, looked_for: profile.credentialFiles },
    fix: `Sign in here: tacho engines login ${profile.name}. Or pass a key by name: --env ${profile.signIn?.variables[0] ?? 'NAME'}`,
  });
}

function mergeFile(file: string, { enforced, defaults }: { enforced: unknown; defaults: unknown }): void {
  let old: unknown = {};
  let before: string | null = null;
  try {
    before = readRegularFile(file);
    const parsed: unknown = JSON.parse(before);
    if (isPlain(parsed)) old = parsed;
  } catch {
    // Missing, not JSON, or too large: the engine could not have read it either.
  }
  const text = `${JSON.stringify(merge(defaults, merge(old, enforced)), null, 2)}\n`;
  if (text === before) return;
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, text, { replace: true });
}

/** The second wins where both have a value; everything else is kept. */
function merge(below: unknown, above: unknown): unknown {
  if (!isPlain(below) || !isPlain(above)) return above;
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    merged[key] = Object.hasOwn(below, key) ? merge(below[key], value) : value;
  }
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function confined(home: string, name: string): string {
  return path.join(confinedFolder(home, path.dirname(name)), path.basename(name));
}

/** A link left in the home by an earlier run must not redirect a write. */
function confinedFolder(home: string, name: string): string {
  const root = fs.realpathSync(home);
  let folder = root;
  for (const part of name.split('/')) {
    folder = path.join(folder, part);
    if (!fs.lstatSync(folder, { throwIfNoEntry: false })) break;
    const real = fs.existsSync(folder) ? fs.realpathSync(folder) : null;
    if (real === folder || real?.startsWith(`${root}/`)) continue;
    const target = real ?? fs.readlinkSync(folder);
    throw new TachoError('ISOLATION_BROKEN', `${folder} is a link to ${target}, which is not in the managed home`, {
      facts: { path: folder },
      fix: 'Remove the link; an earlier run left it there.',
    });
  }
  return path.join(root, name);
}
