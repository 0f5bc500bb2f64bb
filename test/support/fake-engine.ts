import fs from 'node:fs';
import path from 'node:path';
import { projectRoot, temporaryFolder } from './tacho.ts';

/**
 * A test program with an engine's name, in a folder for PATH: for behaviour that is rare or slow in a real engine.
 * `version` makes it look like a package of that version.
 */
export function fakeEngine(engine: string, agent: string, more: { version?: string } = {}): { PATH: string } {
  return fakeEngineIn(temporaryFolder(), engine, agent, more);
}

/** The same in a given folder, for more than one test. */
export function fakeEngineIn(
  folder: string,
  engine: string,
  agent: string,
  { version }: { version?: string } = {},
): { PATH: string } {
  const program = path.join(projectRoot, 'test/agents', agent);
  fs.writeFileSync(path.join(folder, engine), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  const manifest = { name: `fake-${engine}`, version };
  if (version) fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  return { PATH: `${folder}:${process.env.PATH}` };
}
