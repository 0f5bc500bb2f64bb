import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../support/tacho.ts';

/** What zod leaves in the global scope when it is evaluated. */
const ZOD = '__zod_globalConfig';

test('a command that checks no data evaluates no schema', async () => {
  const { home, tacho } = sandbox();
  const seen = path.join(home, 'seen');
  const preload = `process.on('exit',()=>require('fs').writeFileSync('${seen}',String('${ZOD}' in globalThis)))`;
  const file = path.join(home, 'preload.cjs');
  fs.writeFileSync(file, preload);
  const env = { NODE_OPTIONS: `--require=${file}` };
  for (const command of [['--help'], ['run', '--help'], ['run', '--', 'true']]) {
    expect(await tacho(command, { env })).toMatchObject({ code: 0 });
    expect(fs.readFileSync(seen, 'utf8'), command.join(' ')).toBe('false');
  }
  expect(await tacho(['show', 'last'], { env })).toMatchObject({ code: 0 });
  expect(fs.readFileSync(seen, 'utf8'), 'reading a record checks it').toBe('true');
});
