import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { locateDataHome } from '../../../src/runs/index.ts';
import { removeUnusedPackages } from '../../../src/runs/skills/unused-packages.ts';
import { builtText } from '../../support/program.ts';
import { proofSize } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/tacho.ts';

/** Accepts skills again and again, each of them old and unused until then, and checks that they stay. */
const KEEPER = `
import fs from 'node:fs';
import path from 'node:path';
import { keepPackage, readKeptPackage } from './src/skills/index.ts';
const [root] = process.argv.slice(2);
const old = new Date(Date.now() - 7_200_000);
let isTold = false;
process.stdin.on('end', () => { isTold = true; }).resume();
for (let round = 0; !isTold; round++) {
  const file = (text) => ({ bytes: Buffer.from(text), isExecutable: false });
  const files = new Map([['SKILL.md', file('# ' + (round % 3))], ['a/b.txt', file('x'.repeat(5000))]]);
  const sha256 = await keepPackage(root, files);
  for (let look = 0; look < 5; look++) {
    readKeptPackage(root, sha256, 'kept');
    await new Promise((resolve) => setImmediate(resolve));
  }
  fs.utimesSync(path.join(root, sha256), old, old);
}
`;

const REMOVER = `
import { locateDataHome } from './src/runs/data-home.ts';
import { removeUnusedPackages } from './src/runs/skills/unused-packages.ts';
const home = locateDataHome({}, process.argv[2]);
for (;;) {
  const { count } = await removeUnusedPackages(home);
  if (count > 0) process.stdout.write('removed\\n');
  await new Promise((resolve) => setImmediate(resolve));
}
`;

test('a package that is kept stays, whatever moment its removal is at or is killed at', async () => {
  const root = temporaryFolder();
  const packages = path.join(root, 'packages');
  fs.mkdirSync(packages);
  const keeper = run(builtText(KEEPER), packages);
  const errors = textOf(keeper);
  const ended = once(keeper, 'exit');
  const program = builtText(REMOVER);
  for (let kills = proofSize({ small: 6, full: 300 }); kills > 0; kills--) {
    const remover = run(program, root);
    const gone = once(remover, 'exit');
    // Somewhere in its work, which goes on and on.
    for (let removals = Math.ceil(Math.random() * 10); removals > 0; removals--) await once(remover.stdout!, 'data');
    remover.kill('SIGKILL');
    await gone;
  }
  keeper.stdin!.end();
  expect({ code: (await ended)[0], errors: errors() }).toEqual({ code: 0, errors: '' });

  await removeUnusedPackages(locateDataHome({}, root));
  expect(fs.readdirSync(packages)).toEqual([]);
});

function run(program: string, folder: string): ChildProcess {
  return spawn(process.execPath, [program, folder], { stdio: 'pipe' });
}

function textOf({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr!.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  return () => text;
}
