import { expect, test } from 'vitest';
import { readRows } from '../../scripts/engine-matrix/page.ts';
import { listEngines } from '../../src/engines/index.ts';
import { compareVersions } from '../../src/runs/launch/engine-version.ts';
import { readPage } from './page.ts';

const rows = readRows(readPage('docs/engine-versions.md')).map((row) => ({
  engine: row[0]!.replaceAll('`', ''),
  version: row[1]!,
  roles: row[2]!.split(', '),
  isRight: row.slice(4, 9).every((cell) => cell === '✔'),
}));
const installable = listEngines().filter(({ install }) => install !== null);

test.each(installable.map(({ name, ...profile }) => ({ name, ...profile })))(
  'the tested versions of $name are those that the page calls right, and the pinned one is among them',
  ({ name, install, testedVersions }) => {
    const right = rows.filter(({ engine, isRight }) => engine === name && isRight).map(({ version }) => version);
    expect([...testedVersions].sort(compareVersions)).toEqual(right.sort(compareVersions));
    expect(right).toContain(install!.version);
  },
);

test('the page has the pinned, the newest and two older versions of each engine', () => {
  for (const { name, install } of installable) {
    const tried = rows.filter(({ engine }) => engine === name);
    const having = (role: string) => tried.filter(({ roles }) => roles.includes(role)).map(({ version }) => version);
    expect(having('pinned'), name).toEqual([install!.version]);
    expect(having('newest'), name).toHaveLength(1);
    expect(having('older').length, name).toBeGreaterThanOrEqual(2);
  }
});
