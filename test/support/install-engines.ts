import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { tachoCommand } from './tacho.ts';

/** Engines are large and pinned, so they are kept outside of node_modules and between runs. */
export const enginesFolder =
  process.env.TACHO_ENGINES_FOLDER ||
  path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'tacho-engines');

export const REAL_ENGINES = ['codex', 'gemini', 'opencode', 'claude', 'qwen', 'pi'] as const;

/** Vitest calls this once before the scenarios; engines of the right version are not installed again. */
export default function setup(): void {
  const { status, stderr } = spawnSync(process.execPath, [tachoCommand, 'engines', 'install', ...REAL_ENGINES], {
    env: { ...process.env, TACHO_ENGINES_FOLDER: enginesFolder },
    stdio: ['ignore', 2, 'pipe'],
    encoding: 'utf8',
  });
  process.stderr.write(stderr);
  if (status !== 0) throw new Error(`the engines could not be installed:\n${stderr}`);
}
