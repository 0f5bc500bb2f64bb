import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RUNTIME_METHODS } from '../../src/protocol/index.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { serveRuntime } from './serve.ts';

test('files are written, read in parts, listed and inspected', async () => {
  const { client, workspace } = await serveRuntime();
  fs.mkdirSync(path.join(workspace, 'deep'));
  const written = await client.call('file.write', { path: 'deep/a.txt', data: 'hello', mode: 0o640 });
  expect(RUNTIME_METHODS['file.write'].result.parse(written)).toMatchObject({ type: 'file', size: 5, mode: 0o640 });
  await client.call('file.write', {
    path: 'deep/a.txt',
    data: Buffer.from([0xff]).toString('base64'),
    encoding: 'base64',
    append: true,
  });
  expect(await client.call('file.read', { path: 'deep/a.txt', offset: 1, max_bytes: 3 })).toEqual({
    data: 'ell',
    encoding: 'utf8',
    size: 6,
    next: 4,
    end: false,
  });
  expect(await client.call('file.read', { path: `${workspace}/deep/a.txt`, offset: 5 })).toMatchObject({
    data: '/w==',
    encoding: 'base64',
    end: true,
  });
  await client.call('file.write', { path: 'deep/a.txt', data: 'x' });
  expect(await client.call('file.stat', { path: 'deep/a.txt' })).toMatchObject({ size: 1, mode: 0o640 });
  const { entries } = await client.call('file.list', {});
  expect(entries.map((entry) => [entry.path, entry.type])).toEqual([['deep', 'folder']]);
  expect(await client.call('file.stat', { path: '.' })).toMatchObject({ type: 'folder' });
  await expect(client.call('file.read', { path: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('no path and no link leads out of the workspace', async () => {
  const { client, workspace } = await serveRuntime();
  const outside = temporaryFolder();
  fs.writeFileSync(path.join(outside, 'secret'), 'secret');
  fs.symlinkSync(path.join(outside, 'secret'), path.join(workspace, 'link'));
  fs.symlinkSync(outside, path.join(workspace, 'folder'));
  fs.symlinkSync(path.join(outside, 'not-there-yet'), path.join(workspace, 'dangling'));
  for (const name of ['link', 'folder/secret', '../x', `${outside}/secret`, '/etc/passwd', 'dangling']) {
    await expect(client.call('file.read', { path: name }), name).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(client.call('file.write', { path: name, data: '' }), name).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  }
  for (const name of ['folder', '..', '/', 'folder/..']) {
    const listed = client.call('file.list', { path: name });
    if (name === 'folder/..') await listed;
    else await expect(listed, name).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
  expect(await client.call('file.stat', { path: 'link' })).toMatchObject({ type: 'link' });
  await expect(client.call('file.stat', { path: 'folder/secret' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(fs.readFileSync(path.join(outside, 'secret'), 'utf8')).toBe('secret');
  expect(fs.readdirSync(outside)).toEqual(['secret']);
});

test('other file types are refused at once, including a named pipe', async () => {
  const { client, workspace } = await serveRuntime();
  execFileSync('mkfifo', [path.join(workspace, 'pipe')]);
  fs.mkdirSync(path.join(workspace, 'folder'));
  for (const name of ['pipe', 'folder']) {
    await expect(client.call('file.read', { path: name })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await expect(client.call('file.write', { path: name, data: 'x' })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
  }
});

test('the files of the runtime itself, including its secret, are not accessible', async () => {
  const { client, workspace } = await serveRuntime();
  const folder = path.join(workspace, '.tacho', 'runtime');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'server.json'), '{"secret":"hidden"}');
  fs.symlinkSync(folder, path.join(workspace, 'way-in'));
  for (const name of ['.tacho/runtime/server.json', './.tacho/../.tacho/runtime/server.json', 'way-in/server.json']) {
    await expect(client.call('file.read', { path: name }), name).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(client.call('file.write', { path: name, data: 'x' }), name).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  }
  await expect(client.call('file.list', { path: '.tacho/runtime' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
