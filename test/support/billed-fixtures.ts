import fs from 'node:fs';
import path from 'node:path';
import type { ModelServer } from '../../src/demo/index.ts';
import { totalTokens, type Usage } from '../../src/protocol/index.ts';
import { projectRoot } from './tacho.ts';

/** What the model server billed for one call. */
export type Bill = NonNullable<ReturnType<ModelServer['requests']>[number]['billed']>;

/** What a real CLI printed in three attempts of one run, and what the model server billed for each call of each. */
export interface BilledRun {
  name: string;
  engine: string;
  attempts: { stdout: Buffer; bills: Bill[] }[];
}

const root = path.join(projectRoot, 'test/fixtures/billed');

export function listBilledRuns(): BilledRun[] {
  return fs.readdirSync(root).map((name) => {
    const folder = path.join(root, name);
    const { engine, bills } = JSON.parse(fs.readFileSync(path.join(folder, 'billed.json'), 'utf8')) as {
      engine: string;
      bills: Bill[][];
    };
    const attempts = bills.map((billed, at) => ({
      stdout: fs.readFileSync(path.join(folder, `stdout.${at + 1}.log`)),
      bills: billed,
    }));
    return { name, engine, attempts };
  });
}

/** `places` are folders of this machine and what they are called in the fixture. */
export function writeBilledRun({ name, engine, attempts }: BilledRun, places: Readonly<Record<string, string>>): void {
  const folder = path.join(root, name);
  fs.mkdirSync(folder, { recursive: true });
  const billed = { engine, bills: attempts.map(({ bills }) => bills) };
  fs.writeFileSync(path.join(folder, 'billed.json'), `${JSON.stringify(billed, null, 1)}\n`);
  for (const [at, { stdout }] of attempts.entries()) {
    let kept = stdout.toString('latin1');
    for (const [from, to] of Object.entries(places)) kept = kept.replaceAll(from, to);
    fs.writeFileSync(path.join(folder, `stdout.${at + 1}.log`), kept, 'latin1');
  }
}

/** What was reported, in the words of a bill. */
export function billed(usage: Usage | null | undefined): Bill & { total_tokens: number } {
  const { input_tokens = 0, cached_input_tokens = 0, cache_write_tokens = 0, output_tokens = 0 } = usage ?? {};
  const total_tokens = usage ? (totalTokens(usage) ?? 0) : 0;
  return { input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, total_tokens };
}

export function sumOf(bills: readonly Bill[]): Bill & { total_tokens: number } {
  const all = (name: keyof Bill) => bills.reduce((total, bill) => total + bill[name], 0);
  const parts: Bill = {
    input_tokens: all('input_tokens'),
    cached_input_tokens: all('cached_input_tokens'),
    cache_write_tokens: all('cache_write_tokens'),
    output_tokens: all('output_tokens'),
  };
  return { ...parts, total_tokens: Object.values(parts).reduce((total, tokens) => total + tokens, 0) };
}
