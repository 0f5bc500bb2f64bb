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

test('a page in memory is served like one in a folder', async () => {
  const { url } = await serve({ page: FILES });
  expect(await (await fetch(`${url}/runs/any`)).text()).toContain('<title>page</title>');
  const script = await fetch(`${url}/assets/index-abc.js`);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('cache-control')).toContain('immutable');
  expect((await fetch(`${url}/notes.txt`)).status).not.toBe(200);
});
