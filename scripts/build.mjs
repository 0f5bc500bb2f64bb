import path from 'node:path';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';
import { lazyModules } from './lazy-modules.mjs';

const out = path.resolve(process.argv[2] ?? 'dist');

/** What both builds have in common: into dist/ (or the folder named), sharing chunks. */
const common = {
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
};

/** The program. What is native or loaded on demand stays outside. */
await build({
  ...common,
  entryPoints: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    'demo-agent': 'src/demo/agent/main.ts',
  },
  plugins: [lazyModules()],
  platform: 'node',
  target: 'node20',
  // A server's dependencies are hundreds of files, and opening each costs more than all else it does to get ready.
  external: ['koffi', 'libsql', 'ssh2', 'dockerode'],
  // CommonJS dependencies call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

/** What browsers load too, so without anything of Node. */
await build({
  ...common,
  entryPoints: { protocol: 'src/protocol/index.ts', client: 'src/client/index.ts' },
  platform: 'neutral',
  target: 'es2022',
});

/** The Studio. */
await buildPage({
  configFile: path.join(import.meta.dirname, '..', 'studio', 'vite.config.ts'),
  build: { outDir: path.join(out, 'studio') },
  logLevel: 'warn',
});
