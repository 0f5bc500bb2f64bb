import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './tacho.ts';

const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
const OPTIONS = [
  '--bundle',
  '--log-level=warning',
  '--platform=node',
  '--target=node20',
  '--format=esm',
  ...[
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
  ].map((name) => `--external:${name}`),
  `--banner:js=${REQUIRE}`,
];
const built = new Map<string, string>();

/**
 * Bundles a TypeScript program into one file that Node can start, once per test process: a loader that compiles each
 * module would add a second to every start.
 */
export function builtProgram(file: string): string {
  return buildOnce(file, { entry: file });
}

/** The same for a program given as text. Its imports are relative to the project. */
export function builtText(text: string): string {
  return buildOnce(text, { text });
}

function buildOnce(key: string, { entry, text }: { entry?: string; text?: string }): string {
  const known = built.get(key);
  if (known) return known;
  // Two folders deep like the sources, for paths relative to themselves.
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const file = path.join(projectRoot, '.setup/test-programs', `${name}.mjs`);
  // Another test process may be starting the same program.
  const own = `${file}.${process.pid}.mjs`;
  // A process that ends: a service would stay a child of this process, and tests kill those.
  execFileSync(
    path.join(projectRoot, 'node_modules/.bin/esbuild'),
    [...OPTIONS, `--outfile=${own}`, entry ?? '--loader=ts'],
    {
      cwd: projectRoot,
      input: text ?? '',
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  fs.renameSync(own, file);
  built.set(key, file);
  return file;
}
