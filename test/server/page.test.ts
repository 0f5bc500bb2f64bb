import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/tacho.ts';
import { serve } from './support/serve.ts';

const PAGE = '<!doctype html><title>page</title>';
const SCRIPT = 'console.log("page");\n'.repeat(100);

/** A built page: files of the build, and one that does not belong to it. */
function builtPage(): string {
  const folder = temporaryFolder();
  fs.mkdirSync(path.join(folder, 'assets'));
  fs.writeFileSync(path.join(folder, 'index.html'), PAGE);
  fs.writeFileSync(path.join(folder, 'assets', 'index-abc.js'), SCRIPT);
  fs.writeFileSync(path.join(folder, 'notes.txt'), 'not for everybody');
  return folder;
}

test('every address of the page returns the page, without a token, with its policy', async () => {
  const { url } = await serve({ page: builtPage() });
  for (const address of ['/', '/runs/20261115T080000-demo-0123abcd', '/approvals', '/open', '/?q=1']) {
    const answer = await fetch(`${url}${address}`);
    expect(answer.status, address).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(await answer.text()).toBe(PAGE);
  }
});

test('its assets can be cached forever, and compressed for clients that accept it', async () => {
  const { url } = await serve({ page: builtPage() });
  const plain = await fetch(`${url}/assets/index-abc.js`, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(await plain.text()).toBe(SCRIPT);
  const packed = await fetch(`${url}/assets/index-abc.js`, { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(Number(packed.headers.get('content-length'))).toBeLessThan(SCRIPT.length / 4);
  expect(await packed.text()).toBe(SCRIPT);
});

test('a client with the current version gets 304', async () => {
  const { url } = await serve({ page: builtPage() });
  const etag = (await fetch(`${url}/`)).headers.get('etag')!;
  const again = await fetch(`${url}/`, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('no other file in or next to the folder is served', async () => {
  const { ask } = await serve({ page: builtPage() });
  for (const address of [
    '/notes.txt',
    '/assets/..%2findex.html',
    '/assets/',
    '/index.html/',
    '/../token',
    '/favicon.ico',
  ]) {
    expect((await ask(address, { scope: null })).status, address).toBe(404);
  }
});

test('an unknown address returns the page to a browser, and an error code to a program', async () => {
  const { ask } = await serve({ page: builtPage() });
  const person = await ask('/nowhere', { scope: null, headers: { accept: 'text/html,*/*' } });
  expect([person.status, person.text]).toEqual([404, PAGE]);
  const program = await ask('/nowhere', { scope: null });
  expect([program.status, program.json.error.code]).toEqual([404, 'NOT_FOUND']);
});

test('a page of another origin is refused', async () => {
  const { url } = await serve({ page: builtPage() });
  const answer = await fetch(`${url}/`, { headers: { origin: 'http://evil.example' } });
  expect(answer.status).toBe(403);
});
