import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { projectRoot, type RunAnswer, removeFolder, type Sandbox, sandbox, type TachoOptions } from './tacho.ts';

/** Imports the agent output that is stored with the tests as a run. */
export const IMPORT_CODEX: readonly string[] = [
  'import',
  'codex',
  '--stdout',
  path.join(projectRoot, 'test/fixtures/codex/tool/stdout.log'),
  '--exit-code',
  '0',
];

/** For one test file: each command runs once, and every test gets its own copy of the run. */
export function recordings(): (
  words: readonly string[],
  options?: TachoOptions,
) => Promise<{ box: Sandbox; run_id: string }> {
  const kept = new Map<string, Promise<{ copy: string; run_id: string }>>();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-recordings-'));
  afterAll(() => removeFolder(folder));

  async function record(words: readonly string[], options: TachoOptions, copy: string) {
    const box = sandbox();
    const { run_id } = await box.json<RunAnswer>(words, options);
    fs.cpSync(box.home, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return { copy, run_id };
  }

  return async (words, options = {}) => {
    const key = JSON.stringify([words, options]);
    const recorded = kept.get(key) ?? record(words, options, path.join(folder, String(kept.size)));
    kept.set(key, recorded);
    const { copy, run_id } = await recorded;
    const box = sandbox();
    fs.cpSync(copy, box.home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return { box, run_id };
  };
}
