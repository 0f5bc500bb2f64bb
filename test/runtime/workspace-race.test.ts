import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { proofSize } from '../support/proof-size.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { serveRuntime } from './serve.ts';
import { swap } from './swap.ts';

const TRIES = proofSize({ small: 60, full: 20_000 });

test('a program that swaps folders and links while files are read and written reaches nothing outside', async () => {
  const { client, workspace } = await serveRuntime();
  const outside = temporaryFolder();
  const secret = path.join(outside, 'secret');
  fs.writeFileSync(secret, 'secret', { mode: 0o600 });
  const at = (name: string) => path.join(workspace, name);
  fs.mkdirSync(at('folder'));
  fs.writeFileSync(at('folder/secret'), 'harmless');
  fs.symlinkSync(outside, at('link'));
  fs.writeFileSync(at('file'), 'harmless');
  fs.symlinkSync(secret, at('file-link'));
  await Promise.all([swap(at('folder'), at('link')), swap(at('file'), at('file-link'))]);

  const codes = new Set<string>();
  const done = { read: 0, written: 0, listed: 0 };
  const escaped = { read: 0, listed: 0 };
  const attempt = async <T>(what: keyof typeof done, call: Promise<T>): Promise<T | null> => {
    try {
      const result = await call;
      done[what]++;
      return result;
    } catch (error) {
      codes.add((error as { code: string }).code);
      return null;
    }
  };
  for (let index = 0; index < TRIES; index++) {
    for (const name of ['folder/secret', 'file']) {
      const { data } = (await attempt('read', client.call('file.read', { path: name }))) ?? {};
      if (data === 'secret') escaped.read++;
      await attempt('written', client.call('file.write', { path: name, data: 'harmless' }));
    }
    await attempt('written', client.call('file.write', { path: `folder/new-${index % 50}`, data: 'harmless' }));
    const listed = await attempt('listed', client.call('file.list', { path: 'folder' }));
    if (listed?.entries.some(({ mode }) => mode === 0o600)) escaped.listed++;
  }
  const left = { files: fs.readdirSync(outside).length, secret: fs.readFileSync(secret, 'utf8') };
  expect({ ...escaped, ...left }).toEqual({ read: 0, listed: 0, files: 1, secret: 'secret' });
  // Both states must occur, otherwise the test proves nothing.
  expect([...codes].filter((code) => !['FORBIDDEN', 'NOT_FOUND', 'INVALID_PARAMS'].includes(code))).toEqual([]);
  expect(codes).toContain('FORBIDDEN');
  expect(Math.min(...Object.values(done))).toBeGreaterThan(0);
});
