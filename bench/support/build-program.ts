import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = path.dirname(path.dirname(import.meta.dirname));

/** Bundles a program, as tacho itself is, so that both start equally fast; returns its path. */
export function buildProgram(source: URL): string {
  const file = fileURLToPath(source);
  // Below node_modules, so that it finds koffi.
  const outfile = path.join(root, 'node_modules', '.cache', 'tacho-bench', `${path.basename(file, '.ts')}.mjs`);
  buildSync({
    entryPoints: [file],
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
