import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '../../../src/cli');

/** White, gray, black and the bright colors are invisible on some backgrounds, and blue is hard to read on dark ones. */
const READABLE = ['bold', 'cyan', 'dim', 'green', 'inverse', 'red', 'yellow'];

test('the command line uses only colors that are readable on dark and light backgrounds', () => {
  const files = fs.readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const used = new Set<string>();
  for (const file of files) {
    const source = fs.readFileSync(path.join(SOURCES, file), 'utf8');
    for (const [, color] of source.matchAll(/\b(?:paint|colors)\.([a-zA-Z]+)\(/g)) used.add(color!);
    expect(source.match(/\[(?!0m)[\d;]+m/g), file).toBeNull();
  }
  used.delete('isColorSupported');
  expect([...used].sort()).toEqual(READABLE);
});
