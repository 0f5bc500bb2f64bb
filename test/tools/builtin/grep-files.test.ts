import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinTools } from '../../../src/tools/index.ts';
import { startLineSearch } from '../../../src/tools/search/line-search.ts';
import { matchesPattern } from '../../../src/tools/search/path-pattern.ts';
import { call, contextFor, workspaceWith } from '../tool-context.ts';

const tools = builtinTools();
const files = {
  'src/a.ts': 'const one = 1;\r\nconst two = 2;\n',
  'src/deep/b.ts': 'export const three = 3;',
  'README.md': 'A constant.\n',
  '.hidden': 'const hidden',
  'node_modules/x/index.js': 'const x',
  '.tacho/runs/1/events.jsonl': 'const secret',
};
/** Takes longer than anybody waits, with the text below. */
const CATASTROPHE = '^(a+)+$';
const VICTIM = `${'a'.repeat(60)}!`;

async function grep(value: object, root = workspaceWith(files)) {
  return await call(tools, 'grep_files', value, contextFor(root));
}

describe('grep_files', () => {
  it('gives lines with their places', async () => {
    expect(await grep({ pattern: 'const\\s\\w+' })).toMatchObject({
      ok: true,
      stdout: 'src/a.ts:1:const one = 1;\nsrc/a.ts:2:const two = 2;\nsrc/deep/b.ts:1:export const three = 3;\n',
      truncated: false,
      data: { found: 3, searched_files: 3 },
    });
  });

  it('narrows by path, name and case', async () => {
    expect((await grep({ pattern: 'CONST', ignore_case: true, include: '*.md' })).stdout).toBe(
      'README.md:1:A constant.\n',
    );
    expect((await grep({ pattern: '^const', path: 'src/deep' })).stdout).toBe('');
    expect((await grep({ pattern: 'three', path: 'src/deep/b.ts' })).stdout).toContain('src/deep/b.ts:1:');
    expect((await grep({ pattern: 'const', files_only: true, include: 'src/**/*.ts' })).stdout).toBe(
      'src/a.ts\nsrc/deep/b.ts\n',
    );
    expect((await grep({ pattern: 'hidden|secret', hidden: true })).stdout).toBe('.hidden:1:const hidden\n');
  });

  it('stops at the limit and says so', async () => {
    const result = await grep({ pattern: 'const', limit: 2 });
    expect(result.truncated).toBe(true);
    expect(result.stdout).toMatch(/\[more than 2 were found: narrow the search\]\n$/);
    expect(result.data).toMatchObject({ found: 2 });
  });

  it('skips large files, binaries and links, and takes patterns that only old syntax allows', async () => {
    const root = workspaceWith({ large: 'needle', binary: 'needle\0', 'a-b': 'a-b' });
    fs.truncateSync(path.join(root, 'large'), 5 * 1024 * 1024);
    fs.symlinkSync('/etc/passwd', path.join(root, 'passwd'));
    expect((await grep({ pattern: 'needle|root' }, root)).data).toEqual({ found: 0, searched_files: 1 });
    expect((await grep({ pattern: 'a\\-b' }, root)).stdout).toBe('a-b:1:a-b\n');
  });

  it.each([
    [{ pattern: '(' }, 'invalid_arguments'],
    [{ pattern: 'x', path: 'missing' }, 'not_found'],
    [{ pattern: 'x', path: '../..' }, 'path_outside'],
    [{ pattern: '' }, 'invalid_arguments'],
  ])('fails for %j with %s', async (value, kind) => {
    expect(await grep(value)).toMatchObject({ ok: false, error_kind: kind });
  });

  it('is stopped by the signal in the middle of a catastrophic expression', async () => {
    const stop = new AbortController();
    const root = workspaceWith({ victim: VICTIM });
    const context = contextFor(root, { signal: stop.signal });
    const read = context.files.read.bind(context.files);
    // Aborts once the search has its text.
    context.files.read = async (...request) => {
      setTimeout(() => stop.abort(), 20);
      return await read(...request);
    };
    const result = await call(tools, 'grep_files', { pattern: CATASTROPHE }, context);
    expect(result).toMatchObject({ ok: false, error_kind: 'cancelled' });
  });
});

describe('startLineSearch', () => {
  it('ends a catastrophic expression at the timeout, while timers keep working', async () => {
    const { signal } = new AbortController();
    const search = startLineSearch({ pattern: CATASTROPHE, ignoreCase: false, timeoutMs: 300, signal });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await expect(search.find(Buffer.from(VICTIM), 1)).rejects.toMatchObject({ kind: 'timeout' });
    clearInterval(timer);
    await search.close();
    expect(ticks).toBeGreaterThan(1);
  });
});

describe('matchesPattern', () => {
  it.each([
    ['a.ts', '*.ts', true],
    ['src/a.ts', '*.ts', false],
    ['src/a.ts', '**/*.ts', true],
    ['a.ts', '**/*.ts', true],
    ['src/x/y/a.ts', 'src/**', true],
    ['src', 'src/**', true],
    ['src/a.ts', 'src/?.ts', true],
    ['src/ab.ts', 'src/?.ts', false],
    ['a+b', 'a+b', true],
    ['', '', true],
  ])('%s and %s: %s', (name, pattern, expected) => {
    expect(matchesPattern(name, pattern)).toBe(expected);
  });

  it('agrees with a regular expression', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 });
    const part = fc
      .string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 4 })
      .filter((one) => !one.includes('**'));
    fc.assert(
      fc.property(name, fc.array(part, { minLength: 1, maxLength: 3 }), (path, parts) => {
        const source = parts.map((one) => one.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')).join('/');
        expect(matchesPattern(path, parts.join('/'))).toBe(new RegExp(`^${source}$`).test(path));
      }),
    );
  });

  it('takes bounded work for patterns that make regular expressions hang', () => {
    expect(matchesPattern('a'.repeat(4000), `${'*a'.repeat(90)}*b`)).toBe(false);
    expect(matchesPattern('a/'.repeat(2000), `${'**/a/'.repeat(40)}b`)).toBe(false);
  });
});
