import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { exportSchemas } from '../../scripts/export-schemas.ts';
import { fcmpDataSchemas, raspDataSchemas } from '../../src/protocol/index.ts';
import { fcmpMessage, meta, raspEvent, runRecord, seal } from './samples.ts';

const folder = path.join(import.meta.dirname, '../../docs/schema');
const keys = <T extends object>(value: T) => Object.keys(value) as (keyof T)[];

test('docs/schema contains exactly the output of `npm run schemas`', () => {
  const written = exportSchemas();
  expect(fs.readdirSync(folder).sort()).toEqual([...written.keys()].sort());
  for (const [name, content] of written) {
    expect(fs.readFileSync(path.join(folder, name), 'utf8'), `${name}; run: npm run schemas`).toBe(content);
  }
});

test('the published schemas accept what tacho writes and refuse other data', () => {
  const rasp = readSchema('rasp-event.json');
  for (const type of keys(raspDataSchemas)) expect(rasp.safeParse(raspEvent(type)).success, type).toBe(true);
  expect(rasp.safeParse(raspEvent('raw.stdout', { seq: 0 })).success).toBe(false);
  expect(rasp.safeParse(raspEvent('raw.stdout', { data: {} })).success).toBe(false);

  const fcmp = readSchema('fcmp-message.json');
  for (const type of keys(fcmpDataSchemas)) expect(fcmp.safeParse(fcmpMessage(type)).success, type).toBe(true);
  expect(fcmp.safeParse(fcmpMessage('user.message', { type: 'user.nothing' })).success).toBe(false);

  for (const [name, value] of Object.entries({ meta, seal, 'run-record': runRecord })) {
    const schema = readSchema(`${name}.json`);
    expect(schema.safeParse(value).success, name).toBe(true);
    expect(schema.safeParse({ ...value, format: 'other/1' }).success, name).toBe(false);
  }
});

/** Builds a validator from a published JSON Schema alone. */
function readSchema(name: string): z.ZodType {
  return z.fromJSONSchema(JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')));
}
