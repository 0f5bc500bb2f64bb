import path from 'node:path';
import { buildSync } from 'esbuild';

const root = path.dirname(path.dirname(import.meta.dirname));

/** Bundles a program of `bench/programs`, as tacho itself is, so that both start equally fast; where it now is. */
export function buildProgram(name: string): string {
  // Below node_modules, so that it finds koffi.
  const outfile = path.join(root, 'node_modules', '.cache', 'tacho-bench', `${name}.mjs`);
  buildSync({
    entryPoints: [path.join(root, 'bench', 'programs', `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['koffi'],
    logLevel: 'warning',
  });
  return outfile;
}
