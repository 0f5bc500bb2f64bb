import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';
import { lazyModules } from './lazy-modules.mjs';

// In any environment: a development build of the page is half as large again.
process.env.NODE_ENV = 'production';

const out = path.resolve(process.argv[2] ?? 'dist');

/** Options of both builds: into dist/ (or the given folder), with shared chunks. */
const common = {
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
};

/** Native and lazily loaded packages stay external. */
const program = {
  ...common,
  platform: 'node',
  target: 'node20',
  // A server's dependencies are hundreds of files, and opening them would take longer than the rest of its start.
  external: [
    'koffi',
    'libsql',
    'ssh2',
    'dockerode',
    'pg',
    'ioredis',
    'yauzl',
    'ajv',
    'ajv-formats',
    '@modelcontextprotocol/client',
    '@ai-sdk/anthropic',
    '@ai-sdk/openai',
    '@ai-sdk/openai-compatible',
  ],
};

/**
 * The files of src/ define things and do nothing else when they are loaded, except for entry points. A bundle therefore
 * leaves out those it uses nothing of: schemas of zod, which take longer to build than all the rest to load.
 */
const unusedLeftOut = {
  name: 'unused-left-out',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path: name, resolveDir, kind }) =>
      kind === 'entry-point' ? null : { path: path.resolve(resolveDir, name), sideEffects: false },
    );
  },
};

/** The library, and the programs that come with tacho. */
await build({
  ...program,
  plugins: [unusedLeftOut],
  entryPoints: {
    index: 'src/index.ts',
    runtime: 'src/runtime.ts',
    skills: 'src/skills.ts',
    agent: 'src/agent.ts',
    'agent-testkit': 'src/agent-testkit.ts',
    'demo-agent': 'src/demo/agent/main.ts',
    'child-agent': 'src/runtime/agents/main.ts',
    'agent-engine': 'src/cli/agent/engine-main.ts',
  },
  // CommonJS dependencies call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

/**
 * For each `import fs from 'node:fs'` esbuild copies all names of the module, a hundred times in these bundles. One
 * object per module, which inherits them, has the same effect.
 */
const inheritNames = `const __modules = {}; function __node(name) {
  return __modules[name] ??= Object.create(require(name), { default: { value: require(name) } });
}`;

/**
 * The entry point of the command, and bundles of commands (src/cli/launch/bundles.ts), loaded with their compiled code.
 */
const launched = await build({
  ...program,
  plugins: [lazyModules()],
  splitting: false,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  entryPoints: {
    tacho: 'src/cli/launch/main.ts',
    record: 'src/cli/launch/record.ts',
    records: 'src/cli/launch/records.ts',
    terminal: 'src/cli/launch/terminal.ts',
    cli: 'src/cli/command-line.ts',
  },
  // A script loaded with its compiled code has no import().
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__fileUrl' },
  // They are read at every start. Names stay, for stack traces.
  minifyWhitespace: true,
  banner: {
    js: `'use strict'; const __fileUrl = require('node:url').pathToFileURL(__filename).href; ${inheritNames}`,
  },
  write: false,
});
for (const file of launched.outputFiles) {
  const text = file.text.replace(/__toESM\(require\(("node:\w+")\),1\)/g, '__node($1)');
  fs.writeFileSync(file.path, inAscii(withoutCopies(text)));
}

/** For browsers too, so without any module of Node. */
await build({
  ...common,
  entryPoints: { protocol: 'src/protocol/index.ts', client: 'src/client/index.ts' },
  platform: 'neutral',
  target: 'es2022',
});

/** Texts that are added to skills. */
fs.cpSync('src/skills/patch/texts', path.join(out, 'texts'), { recursive: true });

/** The Studio. */
await buildPage({
  configFile: path.join(import.meta.dirname, '..', 'studio', 'vite.config.ts'),
  build: { outDir: path.join(out, 'studio') },
  logLevel: 'warn',
});

/** esbuild also copies the names of a lazy module for each file that imports it: zod has 250. */
function withoutCopies(text) {
  const lazy = new Set([...text.matchAll(/var (require_\w+)=__commonJS\(\{"lazy:/g)].map(([, name]) => name));
  return text.replace(/__toESM\((require_\w+)\(\),1\)/g, (copy, name) => (lazy.has(name) ? `${name}()` : copy));
}

/** Non-ASCII text takes V8 twice the memory and 6 ms more to read. esbuild leaves it only in regular expressions. */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
