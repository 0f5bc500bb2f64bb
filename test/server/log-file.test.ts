import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LogFile } from '../../src/server/index.ts';
import { smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/tacho.ts';

const line = (text: string) => `{"msg":"${text}"}\n`;
const read = (file: string) =>
  fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as { msg: string; left_out?: number });

test('on a full disk whole lines are dropped, and their number is logged when there is space again', () => {
  const disk = smallDisk('64k');
  const file = path.join(disk, 'logs', 'server.log');
  const log = new LogFile(file);
  log.write(line('first'));
  const filler = path.join(disk, 'filler');
  fs.writeFileSync(filler, Buffer.alloc(40_960));
  for (let n = 0; n < 300; n++) log.write(line('x'.repeat(500)));
  fs.rmSync(filler);
  log.write(line('last'));
  const written = read(file);
  expect(written[0]!.msg).toBe('first');
  expect(written.at(-1)!.msg).toBe('last');
  expect(written.at(-2)!.left_out).toBe(300 - (written.length - 3));
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('a large file is rotated', () => {
  const file = path.join(temporaryFolder(), 'server.log');
  fs.writeFileSync(file, line('x'.repeat(17 * 1024 * 1024)));
  const log = new LogFile(file);
  log.write(line('next'));
  expect(read(file)).toEqual([{ msg: 'next' }]);
  expect(fs.statSync(`${file}.1`).size).toBeGreaterThan(16 * 1024 * 1024);
});
