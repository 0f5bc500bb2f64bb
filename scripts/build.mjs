import path from 'node:path';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';

const out = path.resolve(process.argv[2] ?? 'dist');

/** Bundles the entry points into dist/ (or the folder named), sharing chunks; what is native or loaded on demand stays outside. */
await build({
  entryPoints: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    protocol: 'src/protocol/index.ts',
    client: 'src/client/index.ts',
    'demo-agent': 'src/demo/agent/main.ts',
  },
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: [
    'koffi',
    'yaml',
    'fastify',
    'fastify-type-provider-zod',
    '@fastify/swagger',
    'libsql',
    'pino',
    'prom-client',
  ],
  legalComments: 'none',
  logLevel: 'warning',
  // CommonJS dependencies call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

/** The Studio. */
await buildPage({
  configFile: path.join(import.meta.dirname, '..', 'studio', 'vite.config.ts'),
  build: { outDir: path.join(out, 'studio') },
  logLevel: 'warn',
});
