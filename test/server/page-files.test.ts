import { expect, test } from 'vitest';
import { readPageFiles } from '../../src/server/page-files.ts';
import { serve } from './support/serve.ts';

const FILES = new Map([
  ['index.html', Buffer.from('<!doctype html><title>page</title>')],
  ['assets/index-abc.js', Buffer.from('console.log("page");')],
  ['notes.txt', Buffer.from('not for everybody')],
]);

test('a page in memory has the same addresses as one in a folder', () => {
  expect([...readPageFiles(FILES).keys()]).toEqual(['/index.html', '/assets/index-abc.js']);
});

test('a page below a path of a proxy loads its files from there', async () => {
  const built = '<script src="./assets/index-abc.js"></script><link href="./icon.svg"><p title="./assets/">';
  const files = new Map([['index.html', Buffer.from(built)]]);
  const text = (basePath?: string) => readPageFiles(files, basePath).get('/index.html')!.bytes.toString();
  expect(text()).toBe('<script src="/assets/index-abc.js"></script><link href="/icon.svg"><p title="./assets/">');
  expect(text('/a/b')).toContain('<script src="/a/b/assets/index-abc.js"></script><link href="/a/b/icon.svg">');
  const { url } = await serve({ page: files, publicUrl: 'https://x.example/a/b' });
  expect(await (await fetch(`${url}/runs/any`)).text()).toContain('src="/a/b/assets/');
  const kept = await fetch(`${url}/a/b/v1/health`);
  expect([kept.status, (await kept.json()).error.fix]).toEqual([404, expect.stringContaining('location /a/b/ {')]);
});

test('a page in memory is served like one in a folder', async () => {
  const { url } = await serve({ page: FILES });
  expect(await (await fetch(`${url}/runs/any`)).text()).toContain('<title>page</title>');
  const script = await fetch(`${url}/assets/index-abc.js`);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('cache-control')).toContain('immutable');
  expect((await fetch(`${url}/notes.txt`)).status).not.toBe(200);
});
