import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

export function traceFixture(name: string): string {
  return path.join(here, '../../fixtures/traces', `${name}.log`);
}

export function readTraceFixture(name: string): Buffer {
  return fs.readFileSync(traceFixture(name));
}

export function agent(name: string): string {
  return path.join(here, '../../agents', name);
}
