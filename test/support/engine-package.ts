import fs from 'node:fs';
import path from 'node:path';
import { codex } from '../../src/engines/codex/profile.ts';
import { installFolder } from '../../src/runs/launch/engine-program.ts';
import { temporaryFolder } from './tacho.ts';

export function place(file: string, content: string, mode = 0o644): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content, { mode });
  return file;
}

/** A package as npm installs it: its program is a link to a file a few folders below its package.json. */
export function installPackage(
  folder: string,
  { name, version, needsNode }: { name: string; version: string; needsNode?: string | undefined },
  command: string,
): string {
  const home = path.join(folder, 'node_modules', name);
  const engines = needsNode === undefined ? undefined : { node: needsNode };
  place(path.join(home, 'package.json'), JSON.stringify({ name, version, engines }));
  // Packages contain such files too; they do not describe the package.
  place(path.join(home, 'dist/package.json'), '{"type":"module"}');
  const program = place(path.join(home, 'dist/bin/program.js'), '#!/usr/bin/env node\n', 0o755);
  const link = path.join(folder, 'node_modules/.bin', command);
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.symlinkSync(path.relative(path.dirname(link), program), link);
  return link;
}

/** An installation of codex by tacho. */
export function installCodex({ needsNode }: { needsNode?: string }): { enginesFolder: string; program: string } {
  const enginesFolder = temporaryFolder();
  const folder = installFolder(enginesFolder, codex);
  return { enginesFolder, program: installPackage(folder, { name: 'c', version: '1.2.3', needsNode }, 'codex') };
}
