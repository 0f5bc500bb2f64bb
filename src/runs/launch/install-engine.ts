import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineProfile } from '../../engines/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { findEngineProgram, installFolder } from './engine-program.ts';

const TRIES = 3;

export interface InstallWatcher {
  /** Prints a progress line. */
  say(text: string): void;
}

/**
 * Installs the tested version of an engine into its own folder: into a temporary folder first, then renamed, so that an
 * installation is complete or absent.
 */
export async function installEngine(
  profile: EngineProfile,
  enginesFolder: string,
  watcher: InstallWatcher,
): Promise<{ path: string; version: string | null; installed: boolean }> {
  const { install } = profile;
  if (!install) {
    throw new TachoError('ENGINE_INSTALL_FAILED', `${profile.title} can no longer be installed`, {
      facts: { engine: profile.name },
      fix: 'Its recorded logs can still be read with: tacho import',
    });
  }
  const present = findEngineProgram(profile, { enginesFolder, searchPath: '' });
  if (present?.version === install.version) return { ...present, installed: false };
  const folder = installFolder(enginesFolder, profile);
  const fresh = `${folder}.${process.pid}.new`;
  const wanted = `${install.package}@${install.version}`;
  try {
    await withRetries(wanted, watcher, () => installInto(fresh, wanted));
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(fresh, folder);
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  const program = findEngineProgram(profile, { enginesFolder, searchPath: '' });
  if (program) return { ...program, installed: true };
  throw new TachoError('ENGINE_INSTALL_FAILED', `${wanted} was installed but holds no program "${profile.command}"`);
}

async function withRetries(wanted: string, watcher: InstallWatcher, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    watcher.say(attempt === 1 ? `installing ${wanted} …` : `installing ${wanted}, try ${attempt} of ${TRIES} …`);
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === TRIES) throw error;
      await sleep(2000 * attempt);
    }
  }
}

async function installInto(folder: string, wanted: string): Promise<void> {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  const words = ['install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error', wanted];
  const child = spawn('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (bytes: Buffer) => {
    complaints = (complaints + bytes.toString()).slice(-4000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).catch((cause: Error) => {
    throw new TachoError('ENGINE_INSTALL_FAILED', `npm could not be started: ${cause.message}`, {
      cause,
      fix: 'Install npm, or install the engine yourself and put it on PATH.',
    });
  });
  if (code === 0) return;
  throw new TachoError('ENGINE_INSTALL_FAILED', `npm install ${wanted} failed: ${complaints.trim()}`, {
    facts: { package: wanted, exit_code: code },
    fix: 'Check the network and the registry npm is set up with, then try again.',
  });
}
