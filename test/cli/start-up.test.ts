import fs from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/all.ts';
import { ENGINE_WORDS, expandAlias } from '../../src/cli/launch/aliases.ts';
import { COMMANDS_OF, launchOf } from '../../src/cli/launch/bundles.ts';
import { ENGINE_NAMES } from '../../src/protocol/index.ts';
import { sandbox } from '../support/tacho.ts';

/** The global variable that zod sets when it is evaluated. */
const ZOD = '__zod_globalConfig';

test('a command that validates no data evaluates no schema', async () => {
  const { home, tacho } = sandbox();
  const seen = path.join(home, 'seen');
  const env = preload(home, `String('${ZOD}' in globalThis)`, seen);
  for (const command of [['--help'], ['run', '--help'], ['run', '--', 'true']]) {
    expect(await tacho(command, { env })).toMatchObject({ code: 0 });
    expect(fs.readFileSync(seen, 'utf8'), command.join(' ')).toBe('false');
  }
  expect(await tacho(['show', 'last'], { env })).toMatchObject({ code: 0 });
  expect(fs.readFileSync(seen, 'utf8'), 'reading a record checks it').toBe('true');
});

/** Modules that no plain command needs; a static import of one anywhere makes every run slower. */
const UNNEEDED = [
  /^node_modules\/(?!(commander|picocolors)\/)/,
  /^src\/(client|conversation|demo|runtime|sandbox|server|storage)\/(?!index\.ts$)/,
  /^src\/engines\/(?!text\/)\w+\//,
  /^src\/cli\/(chat|records\/|upkeep\/(?!recover\.ts))/,
  /^src\/recording\/(trace\/|zip-run)/,
  /^src\/runs\/(index|service)\//,
  /^src\/runs\/replay\/(import|reparse)/,
  /^src\/terminal\/(shells|sessions)\//,
];

test('a plain command evaluates neither the server, the database nor any engine but its own', async () => {
  const { home, tacho } = sandbox();
  const seen = path.join(home, 'seen');
  const env = {
    ...preload(home, 'Object.keys(require.cache).join()', seen),
    NODE_V8_COVERAGE: path.join(home, 'used'),
  };
  expect(await tacho(['run', '--', 'true'], { env })).toMatchObject({ code: 0 });
  const evaluated = modulesIn(path.join(home, 'used'));
  expect(evaluated).toContain('src/runs/attempt/supervise.ts');
  expect(evaluated).toContain('src/engines/text/parser.ts');
  expect(evaluated.filter((name) => UNNEEDED.some((pattern) => pattern.test(name)))).toEqual([]);
  const packages = fs.readFileSync(seen, 'utf8').match(/(?<=\/node_modules\/)(@\w+\/)?[\w-]+/g);
  expect(new Set(packages?.map((name) => name.replace(/^@koromix\/koffi.*/, 'koffi')))).toEqual(new Set(['koffi']));
});

/** Modules that a read-only command does not need; of the packages, it needs the schemas. */
const UNNEEDED_BY_READERS = [
  /^node_modules\/(?!(commander|picocolors|zod)\/)/,
  /^src\/(client|demo|sandbox|server|storage|terminal)\/(?!index\.ts$)/,
  /^src\/engines\/(?!index\.ts$)/,
  /^src\/cli\/(chat|run|terminal\/(?!terminal-|runtime-options))/,
  /^src\/recording\/(trace\/|snapshot\/|zip-run)/,
];

test('verify and terminal ls evaluate no engine, no server and no terminal', async () => {
  const { home, tacho } = sandbox();
  expect(await tacho(['run', '--', 'true'])).toMatchObject({ code: 0 });
  for (const [command, needed] of [
    [['verify', 'last'], 'src/record/verify/verify.ts'],
    [['terminal', 'ls'], 'src/cli/terminal/terminal-list.ts'],
  ] as const) {
    const used = path.join(home, command[0]);
    expect(await tacho(command, { env: { NODE_V8_COVERAGE: used } })).toMatchObject({ code: 0 });
    const evaluated = modulesIn(used);
    expect(evaluated).toContain(needed);
    const needless = evaluated.filter((name) => UNNEEDED_BY_READERS.some((pattern) => pattern.test(name)));
    expect(needless, command.join(' ')).toEqual([]);
  }
});

test('every command has a bundle and its own entry in the code cache', () => {
  const program = new Command();
  for (const register of COMMANDS) register(program, []);
  const names = program.commands.map((command) => command.name());
  expect(Object.values(COMMANDS_OF).flat().sort()).toEqual(names.sort());
  // A command wins over an engine of the same name.
  expect(ENGINE_WORDS).toEqual(ENGINE_NAMES.filter((name) => !names.includes(name)));
  expect(launchOf(expandAlias(['codex', 'fix it']))).toEqual({ bundle: 'record', use: 'run', serves: false });
  expect(launchOf(['run', 'npm', 'test'])).toEqual({ bundle: 'record', use: 'plain', serves: false });
  expect(launchOf(['verify', 'last'])).toEqual({ bundle: 'records', use: 'verify', serves: false });
  expect(launchOf(['runtime', 'serve'])).toEqual({ bundle: 'terminal', use: 'daemon', serves: true });
  expect(launchOf(['mistyped'])).toEqual({ bundle: 'cli', use: 'other', serves: false });
});

/** Makes the command write the value of an expression when it exits. */
function preload(home: string, expression: string, file: string): { NODE_OPTIONS: string } {
  const script = path.join(home, 'preload.cjs');
  fs.writeFileSync(script, `process.on('exit',()=>require('fs').writeFileSync('${file}',${expression}))`);
  return { NODE_OPTIONS: `--require=${script}` };
}

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

/** esbuild wraps each module that is evaluated on demand in a function named after its file. */
function modulesIn(folder: string): string[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => (JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as Coverage).result)
    .filter(({ url }) => /\/dist\/(?!tacho\.)\w+\.cjs$/.test(url))
    .flatMap(({ functions }) => functions)
    .filter(({ functionName, ranges }) => functionName.includes('/') && ranges[0]!.count > 0)
    .map(({ functionName }) => functionName);
}
