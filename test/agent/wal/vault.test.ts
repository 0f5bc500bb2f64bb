import { createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Vault } from '../../../src/agent/wal/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { emptyWorkspace } from './workspace.ts';

const HEADER_BYTES = 52;
const RECORD_HEAD_BYTES = 41;

function open(file: string, how: 'create' | 'write' | 'read' = 'write'): Vault {
  const vault = how === 'read' ? Vault.openToRead(file) : Vault.openToWrite(file, { create: how === 'create' });
  onTestFinished(() => vault.close());
  return vault;
}

function newVault(): { file: string; vault: Vault } {
  const file = join(emptyWorkspace(), 'vault');
  return { file, vault: open(file, 'create') };
}

const damaged = expect.objectContaining({ code: 'VAULT_DAMAGED' });

test('a content is found by its key, by this vault and by one that is opened later', () => {
  const { file, vault } = newVault();
  const contents = [
    Buffer.alloc(0),
    Buffer.from('text'),
    randomBytes(300),
    randomBytes(256 * 1024),
    randomBytes(700_000),
  ];
  const keys = contents.map((content) => vault.put(content));
  const json = vault.putJson({ list: [1, 'ü', null] });
  for (const reader of [vault, open(file, 'read'), open(file)]) {
    expect(keys.map((key) => reader.get(key).equals(contents[keys.indexOf(key)]!))).toEqual(keys.map(() => true));
    expect(reader.getJson(json)).toEqual({ list: [1, 'ü', null] });
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a key is a MAC with a random key of the vault, so a content cannot be guessed from it', () => {
  const { file, vault } = newVault();
  const key = vault.put(Buffer.from('guess'));
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(newVault().vault.put(Buffer.from('guess'))).not.toBe(key);
  const macKey = readFileSync(file).subarray(20, HEADER_BYTES);
  expect(key).toBe(createHmac('sha256', macKey).update('\0guess').digest('hex'));
});

test('the same content is kept once, and its digest is its key', () => {
  const { file, vault } = newVault();
  const long = randomBytes(600_000);
  for (const content of [Buffer.from('once'), long]) {
    const digest = vault.digest(content);
    expect(vault.has(digest)).toBe(false);
    expect(vault.put(content)).toBe(digest);
    const { size } = statSync(file);
    expect(vault.put(Buffer.from(content))).toBe(digest);
    expect(statSync(file).size).toBe(size);
  }
  expect(vault.digest('once')).toBe(vault.put(Buffer.from('once')));
});

test('a content that arrives in chunks has the same key, whatever the chunks', async () => {
  const { vault } = newVault();
  const content = randomBytes(900_000);
  const key = vault.put(content);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: content.length }), { maxLength: 8 }), async (places) => {
      const cuts = [0, ...places.sort((one, other) => one - other), content.length];
      const chunks = cuts.slice(1).map((to, at) => content.subarray(cuts[at], to));
      expect(await vault.putStream(chunks)).toBe(key);
    }),
    { numRuns: proofSize({ small: 15, full: 200 }) },
  );
});

test('a content of 64 MiB is written and read in pieces', async () => {
  const { file, vault } = newVault();
  const chunk = randomBytes(1024 * 1024);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let number = 0; number < 64; number++) {
      chunk.writeUInt32LE(number);
      yield chunk; // The same memory again and again, as some streams do.
    }
  }
  const key = await vault.putStream(chunks());
  let bytes = 0;
  for (const piece of open(file, 'read').pieces(key)) {
    if (bytes % chunk.length === 0) expect(piece.readUInt32LE()).toBe(bytes / chunk.length);
    bytes += piece.length;
  }
  expect(bytes).toBe(64 * chunk.length);
});

test('a file cut at any byte keeps every record before the cut, and can be written again', () => {
  const { file, vault } = newVault();
  const contents = ['first', '', 'third, and longer'].map((text) => Buffer.from(text));
  const ends = contents.map((content) => {
    vault.put(content);
    return statSync(file).size;
  });
  const whole = readFileSync(file);
  for (let cut = HEADER_BYTES; cut <= whole.length; cut++) {
    const copy = join(emptyWorkspace(), 'vault');
    writeFileSync(copy, whole.subarray(0, cut));
    const reader = Vault.openToRead(copy);
    const writer = Vault.openToWrite(copy, { create: false });
    for (const opened of [reader, writer]) {
      expect(contents.map((content) => opened.has(vault.digest(content)))).toEqual(ends.map((end) => end <= cut));
    }
    const key = writer.put(Buffer.from('afterwards'));
    for (const content of contents) writer.put(content);
    const again = Vault.openToRead(copy);
    expect([key, ...contents.map((content) => again.digest(content))].every((each) => again.get(each))).toBe(true);
    for (const opened of [reader, writer, again]) opened.close();
  }
});

test('zeros at the end, as a power cut may leave them, are removed', () => {
  const { file, vault } = newVault();
  const key = vault.put(Buffer.from('kept'));
  const { size } = statSync(file);
  appendFileSync(file, Buffer.alloc(100_000));
  expect(open(file).get(key).toString()).toBe('kept');
  expect(statSync(file).size).toBe(size);
});

test('a changed byte is detected, and nothing is removed', () => {
  const { file, vault } = newVault();
  const keys = ['one', 'two', 'three'].map((text) => vault.put(Buffer.from(text)));
  const whole = readFileSync(file);
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole);
    changed[at]! ^= 1;
    writeFileSync(file, changed);
    const use = () => {
      const reader = Vault.openToWrite(file, { create: false });
      try {
        for (const key of keys) reader.get(key);
      } finally {
        reader.close();
      }
    };
    expect(use, `byte ${at}`).toThrow(damaged);
    expect(readFileSync(file).equals(changed)).toBe(true);
  }
  expect(RECORD_HEAD_BYTES * 3 + HEADER_BYTES + 11).toBe(whole.length);
});

test('an unknown key, a missing file, a link and a folder are damage', () => {
  const { file, vault } = newVault();
  expect(() => vault.get('0'.repeat(64))).toThrow(damaged);
  rmSync(file);
  expect(() => Vault.openToRead(file)).toThrow(damaged);
  symlinkSync('/etc/hostname', file);
  expect(() => Vault.openToRead(file)).toThrow(damaged);
  expect(() => Vault.openToWrite(file, { create: true })).toThrow(damaged);
  rmSync(file);
  mkdirSync(file);
  expect(() => Vault.openToRead(file)).toThrow(damaged);
});

test('a vault that was left without a whole header is made again only for a run without events', () => {
  const file = join(emptyWorkspace(), 'vault');
  writeFileSync(file, 'tacho-ag');
  expect(() => Vault.openToWrite(file, { create: false })).toThrow(damaged);
  const vault = open(file, 'create');
  const key = vault.put(Buffer.from('text'));
  expect(open(file).get(key).toString()).toBe('text');
});

test('sync has nothing to do when all contents are on the disk', async () => {
  const { vault } = newVault();
  await vault.sync();
  expect(vault.sync()).toBe(null);
  vault.put(Buffer.from('new'));
  const syncing = vault.sync();
  vault.put(Buffer.from('newer'));
  await syncing;
  const last = vault.sync();
  expect(last).not.toBe(null);
  await last;
});
