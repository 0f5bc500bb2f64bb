import fs from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  integrity?: string;
  resolved?: string;
  os?: readonly string[];
}

const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
const packages = Object.entries(lock.packages).filter(([place]) => place !== '');

test('every package that can be installed on Linux has an integrity hash', () => {
  const installable = packages.filter(([, { os }]) => os === undefined || os.includes('linux'));
  expect(installable.length).toBeGreaterThan(300);
  const open = installable.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(open.map(([place]) => place)).toEqual([]);
});

test('the lock file names no registry', () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
