import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { documentedValues } from '../../../scripts/api-docs/page.ts';
import { packageUser } from '../../examples/package-user.ts';
import { projectRoot } from '../../support/tacho.ts';

/** Notes every module that is loaded, in the thread of the loader, where the program cannot hide one. */
const LOADER = `
import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED, url + '\\n');
  return next(url, context);
}`;
const REGISTER = `import { register } from 'node:module'; register('./loader.mjs', import.meta.url);`;

interface Loaded {
  names: string[];
  /** Packages, and files of this one. */
  modules: string[];
}

test.each([
  ['tachograph/agent', 'src/agent.ts'],
  ['tachograph/agent/testkit', 'src/agent-testkit.ts'],
])('%s exports exactly what its page describes, and loads no package', async (name, source) => {
  const { names, modules } = await load(`const names = Object.keys(await import('${name}'));`);
  expect(names.sort()).toEqual(documentedValues(source).sort());
  expect(modules).toEqual(['dist/']);
});

test.each([
  ['anthropic', '@ai-sdk/anthropic'],
  ['openaiCompatible', '@ai-sdk/openai-compatible'],
  ['openai', '@ai-sdk/openai'],
])('%s loads its package with the first request, and no other provider', async (provider, itsPackage) => {
  const { modules } = await load(`
    import { ${provider} } from 'tachograph/agent';
    const model = ${provider}({ model: 'm', apiKey: 'k', baseURL: 'http://127.0.0.1:9/v1' });
    const request = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }], tools: [] };
    const names = [];
    try {
      for await (const chunk of model.stream(request, AbortSignal.timeout(60_000))) names.push(chunk);
    } catch (error) {
      names.push(error.name);
    }`);
  const providers = modules.filter((module) => module.startsWith('@ai-sdk/') && !module.includes('/provider'));
  expect(providers).toEqual([itsPackage]);
});

test('mcpServer loads nothing before a run opens it', async () => {
  const { modules } = await load(`
    import { mcpServer } from 'tachograph/agent';
    const names = [mcpServer({ name: 'web', url: 'http://127.0.0.1:9/mcp' }).name];`);
  expect(modules).toEqual(['dist/']);
});

test('the types of every entry of the package are built', () => {
  const { exports } = readJson('package.json') as { exports: Record<string, { types: string }> };
  const { include } = readJson('tsconfig.build.json') as { include: string[] };
  const built = include.map((file) => `./${file.replace(/^src/, 'dist/types').replace(/\.ts$/, '.d.ts')}`);
  expect(built.sort()).toEqual(
    Object.values(exports)
      .map(({ types }) => types)
      .sort(),
  );
});

/** Runs a program that sets `names`, as a user of the built package, and returns what it loaded. */
async function load(program: string): Promise<Loaded> {
  const user = packageUser();
  const write = (name: string, text: string) => fs.writeFileSync(path.join(user.folder, name), text);
  const list = path.join(user.folder, 'loaded.txt');
  write('loader.mjs', LOADER);
  write('register.mjs', REGISTER);
  // CommonJS that CommonJS requires passes the loader by.
  write(
    'main.mjs',
    `${program}\nimport { createRequire } from 'node:module';
     const required = Object.keys(createRequire(import.meta.url).cache);
     console.log(JSON.stringify({ names, required }));`,
  );
  const { stdout, stderr, code } = await user.run('--import=./register.mjs', {
    args: ['main.mjs'],
    env: { LOADED: list },
  });
  expect(code, stderr).toBe(0);
  const { names, required } = JSON.parse(stdout) as { names: string[]; required: string[] };
  const urls = fs
    .readFileSync(list, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((url) => url.startsWith('file:'));
  const files = [...urls.map((url) => new URL(url).pathname), ...required];
  const outside = files.filter((file) => !file.startsWith(`${user.folder}/`));
  return { names, modules: [...new Set(outside.map(moduleOf))].sort() };
}

function moduleOf(file: string): string {
  const place = path.relative(projectRoot, file);
  const [, itsPackage] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return itsPackage ?? place.replace(/^dist\/.*/, 'dist/');
}

function readJson(name: string): unknown {
  return JSON.parse(fs.readFileSync(path.join(projectRoot, name), 'utf8'));
}
