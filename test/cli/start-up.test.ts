import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../support/tacho.ts';

/** What zod leaves in the global scope when it is evaluated. */
const ZOD = '__zod_globalConfig';

test('a command that checks no data evaluates no schema', async () => {
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

/** What no plain command needs; an import of it by name anywhere on the way makes every run slower. */
const NEEDLESS = [
  /^node_modules\/(?!(commander|picocolors)\/)/,
  /^src\/(client|conversation|demo|runtime|sandbox|server|storage)\/(?!index\.ts$)/,
  /^src\/engines\/(?!text\/)\w+\//,
  /^src\/cli\/(chat|records\/(?!recover\.ts))/,
  /^src\/recording\/(trace\/|zip-run)/,
  /^src\/runs\/(index|service)\//,
  /^src\/runs\/replay\/(import|reparse)/,
  /^src\/terminal\/(shells\/|.*session)/,
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
  expect(evaluated.filter((name) => NEEDLESS.some((pattern) => pattern.test(name)))).toEqual([]);
  const packages = fs.readFileSync(seen, 'utf8').match(/(?<=\/node_modules\/)(@\w+\/)?[\w-]+/g);
  expect(new Set(packages?.map((name) => name.replace(/^@koromix\/koffi.*/, 'koffi')))).toEqual(new Set(['koffi']));
});

/** Has the command write what an expression says when it exits. */
function preload(home: string, expression: string, file: string): { NODE_OPTIONS: string } {
  const script = path.join(home, 'preload.cjs');
  fs.writeFileSync(script, `process.on('exit',()=>require('fs').writeFileSync('${file}',${expression}))`);
  return { NODE_OPTIONS: `--require=${script}` };
}

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

/** esbuild puts each module of the bundle that is evaluated on demand into a function with the name of its file. */
function modulesIn(folder: string): string[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => (JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as Coverage).result)
    .filter(({ url }) => url.endsWith('/record.cjs'))
    .flatMap(({ functions }) => functions)
    .filter(({ functionName, ranges }) => functionName.includes('/') && ranges[0]!.count > 0)
    .map(({ functionName }) => functionName);
}
