import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRegistry, readRegistry } from '../../src/runtime/daemon/registry.ts';
import { temporaryFolder } from '../support/tacho.ts';

test('lists exactly the running processes after any changes', () => {
  const file = path.join(temporaryFolder(), 'exec_registry.json');
  const registry = createRegistry(file);
  for (let index = 0; index < 3000; index++) {
    registry.opening({ id: `s-${index}`, marker: `m-${index}` });
    if (index % 1000 === 7) registry.opened({ id: `s-${index}`, pid: process.pid });
    else registry.gone(`s-${index}`);
  }
  const runs = readRegistry(file);
  expect(runs.map(({ session_id, marker, pid }) => [session_id, marker, pid])).toEqual([
    ['s-7', 'm-7', process.pid],
    ['s-1007', 'm-1007', process.pid],
    ['s-2007', 'm-2007', process.pid],
  ]);
  expect(runs[0]!.start_time).toMatch(/^\d+$/);
  expect(registry.summary()).toEqual({ path: file, entries: 3 });
  // The file does not grow with ended processes.
  expect(fs.readFileSync(file, 'utf8').split('\n').length).toBeLessThan(2100);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('a truncated or damaged file gives its complete lines', () => {
  const file = path.join(temporaryFolder(), 'exec_registry.json');
  const registry = createRegistry(file);
  for (const id of ['a', 'b', 'c']) registry.opening({ id, marker: id });
  registry.gone('b');
  const whole = fs.readFileSync(file);
  fc.assert(
    fc.property(fc.nat(whole.length), (length) => {
      fs.writeFileSync(file, whole.subarray(0, length));
      const lines = whole
        .subarray(0, length)
        .toString()
        .split('\n')
        .filter((line) => line.endsWith('}}') || line.endsWith('"}'));
      const last = lines.at(-1) ?? '';
      const expected =
        lines.length === 4 || last.includes('gone') ? ['a', 'c'] : ['a', 'b', 'c'].slice(0, lines.length);
      expect(readRegistry(file).map(({ session_id }) => session_id)).toEqual(expected);
    }),
  );
  fs.writeFileSync(file, `garbage\n{"gone":7}\n${whole}[]\n`);
  expect(readRegistry(file).map(({ session_id }) => session_id)).toEqual(['a', 'c']);
  expect(readRegistry(path.join(file, 'no-such'))).toEqual([]);
});
