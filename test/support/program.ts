import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { projectRoot } from './tacho.ts';

const built = new Map<string, string>();

/**
 * A TypeScript program as one file that Node itself can start, made once per test process: a loader that translates
 * each module takes a second of every start.
 */
export function builtProgram(file: string): string {
  return buildOnce(file, { entryPoints: [file] });
}

/** The same, of a program whose text a test writes. Its imports are relative to the project. */
export function builtText(text: string): string {
  return buildOnce(text, { stdin: { contents: text, resolveDir: projectRoot, loader: 'ts' } });
}

function buildOnce(key: string, what: BuildOptions): string {
  const known = built.get(key);
  if (known) return known;
  // Two folders deep, as the sources are, for what they find relative to themselves.
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const file = path.join(projectRoot, '.setup/test-programs', `${name}.mjs`);
  const { outputFiles } = buildSync({
    ...what,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['koffi', 'libsql', 'ssh2', 'dockerode'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // Another test process may be starting the same one.
  fs.writeFileSync(`${file}.${process.pid}`, outputFiles![0]!.contents);
  fs.renameSync(`${file}.${process.pid}`, file);
  built.set(key, file);
  return file;
}
