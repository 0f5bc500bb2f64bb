import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { projectRoot, removeFolder } from '../support/tacho.ts';

/** An unprivileged user, if the tests run as root. */
const user = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const NODES = ['20', '22', '24'];

/** A program of an integrator: starts a run with the typed client and reads its result. */
const PROGRAM = `
import { createClient, type RunResult } from 'tachograph/client';

export async function run(url: string, token: string): Promise<RunResult> {
  const client = createClient({ url, token });
  const { run_id } = await client.createRun({ command: ['echo', 'hello'] }, { idempotencyKey: 'once' });
  for await (const event of client.followEvents(run_id)) if (event.seq < 1) throw new Error(event.event.type);
  return client.result(run_id);
}
`;
const MAIN = `
import { run } from './program.js';
const [url, token] = process.argv.slice(2);
console.log((await run(url!, token!)).status);
`;
const PAGE_MAIN = `import { run } from './program';\nrun(location.origin, 'token-of-the-page').then(console.log);\n`;

let folder: string;
let home: string;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-packed-'));
  home = path.join(folder, 'home');
  fs.mkdirSync(home, { mode: 0o700 });
  if (user.uid !== undefined) {
    fs.chmodSync(folder, 0o755);
    fs.chownSync(home, user.uid, user.gid!);
  }
  const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: environment({ HOME: folder, npm_config_cache: path.join(folder, '.npm') }),
  });
  expect(packed, packed.stderr).toMatchObject({ status: 0 });
  const [tarball] = fs.readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  write('package.json', '{ "name": "integration", "version": "1.0.0", "private": true, "type": "module" }');
  const nodes = NODES.map((version) => `node-${version}@npm:node-linux-${process.arch}@${version}`);
  const types = `@types/node@${JSON.parse(fs.readFileSync(`${projectRoot}/package.json`, 'utf8')).devDependencies['@types/node']}`;
  must('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `../${tarball}`, types, ...nodes]);
});

afterAll(() => removeFolder(folder));

test.each(NODES)('with Node %s, tacho records a run, serves, and answers the typed client', async (version) => {
  write('program.ts', PROGRAM);
  write('main.ts', MAIN);
  write(
    'tsconfig.json',
    tsconfig({ module: 'NodeNext', moduleResolution: 'NodeNext', types: ['node'], outDir: 'out' }),
  );
  build('tsc', ['-p', '.']);
  const env = environment({ PATH: `${home}/node_modules/node-${version}/bin:${process.env.PATH}` });
  expect(must('node', ['--version'], env)).toMatch(new RegExp(`^v${version}\\.`));
  expect(must(bin(home, 'tacho'), ['run', 'echo', 'hello'], env)).toBe('hello\n');
  expect(must(bin(home, 'tacho'), ['verify'], env)).toContain('intact');
  const { url, token } = await startServer(env);
  expect(must('node', ['out/main.js', url, token], env)).toBe('succeeded\n');
  expect(await (await fetch(url)).text()).toContain('<title>Tachograph Studio</title>');
});

describe('types', () => {
  test('of every entry resolve under NodeNext and bundler, without skipLibCheck', () => {
    const entries = ['tachograph', 'tachograph/protocol', 'tachograph/runtime', 'tachograph/client'];
    const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
    write('entries.ts', `${imports.join('\n')}\nexport default [${entries.map((_, index) => `entry${index}`)}];\n`);
    for (const [module, moduleResolution] of [
      ['NodeNext', 'NodeNext'],
      ['ESNext', 'bundler'],
    ]) {
      write('tsconfig.json', tsconfig({ module, moduleResolution, types: ['node'], noEmit: true }, ['entries.ts']));
      build('tsc', ['-p', '.']);
    }
  });

  test('of the client work in a page, which Vite builds without Node modules', () => {
    write('page/index.html', '<script type="module" src="./main.ts"></script>');
    write('page/main.ts', PAGE_MAIN);
    write('page/program.ts', PROGRAM);
    const lib = ['ES2023', 'DOM', 'DOM.Iterable'];
    write(
      'page/tsconfig.json',
      tsconfig({ module: 'ESNext', moduleResolution: 'bundler', types: [], lib, noEmit: true }),
    );
    build('tsc', ['-p', 'page']);
    const built = build('vite', ['build', 'page', '--configLoader', 'runner']);
    expect(built).not.toContain('externalized');
    const assets = path.join(home, 'page/dist/assets');
    const scripts = fs.readdirSync(assets).map((name) => fs.readFileSync(path.join(assets, name), 'utf8'));
    expect(scripts.join('\n')).toContain('token-of-the-page');
  });
});

function tsconfig(compilerOptions: object, include = ['*.ts']): string {
  const strict = { strict: true, target: 'ES2023', noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
  return JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, include });
}

function write(name: string, content: string): void {
  const file = path.join(home, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  if (user.uid !== undefined) for (const made of [path.dirname(file), file]) fs.chownSync(made, user.uid, user.gid!);
}

function bin(root: string, name: string): string {
  return path.join(root, 'node_modules/.bin', name);
}

/** Runs a compiler of this project, whose folder the user may not enter. */
function build(name: string, args: string[]): string {
  const done = spawnSync(bin(projectRoot, name), args, { cwd: home, encoding: 'utf8', env: environment() });
  expect(done, `${name} ${args.join(' ')}\n${done.stdout}${done.stderr}`).toMatchObject({ status: 0 });
  return done.stdout + done.stderr;
}

/** Runs a program as the user, in the user's home; returns its output. */
function must(program: string, args: string[], env = environment()): string {
  const done = spawnSync(program, args, { cwd: home, encoding: 'utf8', env, ...user });
  expect(done, `${program} ${args.join(' ')}\n${done.stdout}${done.stderr}`).toMatchObject({ status: 0 });
  return done.stdout;
}

function startServer(env: NodeJS.ProcessEnv): Promise<{ url: string; token: string }> {
  const options: SpawnOptions = { cwd: home, env, stdio: ['ignore', 'pipe', 'inherit'], ...user };
  const server = spawn(bin(home, 'tacho'), ['start', '--port', '0', '--json', '--data', `${home}/data`], options);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  return new Promise((resolve, reject) => {
    let text = '';
    server.once('exit', (code) => reject(new Error(`the server exited with ${code}`)));
    server.stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))));
    });
  });
}

/** Without the variables of the test runner; npm keeps the configured registry. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !/^(npm_|VITEST|NODE_ENV|TACHO_|INIT_CWD)/.test(name));
  const kept = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  registry ??= spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
  return {
    ...kept,
    HOME: home,
    npm_config_registry: registry,
    npm_config_cache: path.join(home, '.npm'),
    LC_ALL: 'C.UTF-8',
    ...more,
  };
}

let registry: string | undefined;
