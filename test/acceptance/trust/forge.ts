import { createHash, sign } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { genesisChain } from '../../../src/journal/chain.ts';
import { nodeSha256 } from '../../../src/journal/index.ts';
import type { LedgerEntry, RaspEvent, RunRecord, Seal } from '../../../src/protocol/index.ts';
import { foldRunState, leafHash } from '../../../src/record/index.ts';
import { loadSealKey, type SealKey } from '../../../src/recording/index.ts';

/** Any JSON: a forgery may break the schema. */
// biome-ignore lint/suspicious/noExplicitAny: forgeries may change any field.
export type Loose = any;

/** A recorded run in a data folder, with material for forgeries. */
export interface Place {
  home: string;
  runId: string;
  run: string;
  audit: string;
  /** Another run of the same installation. */
  other: string;
  /** The run folder as it was after the first attempt. */
  earlier: string;
  /** Runs a tacho command on the data folder. */
  tacho(args: readonly string[]): Promise<unknown>;
}

export const at = (place: Place, name: string) => path.join(place.audit, name);
export const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

export function flip(file: string, byte = Math.floor(fs.statSync(file).size / 2)): void {
  const bytes = fs.readFileSync(file);
  bytes[byte] = bytes[byte]! ^ 0x01;
  fs.writeFileSync(file, bytes);
}

export function replace(file: string, from: string | RegExp, to: string): void {
  const before = fs.readFileSync(file, 'utf8');
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${path.basename(file)} does not hold ${from}`);
  fs.writeFileSync(file, after);
}

export function editJson(file: string, change: (value: Loose) => void): void {
  const value = JSON.parse(fs.readFileSync(file, 'utf8'));
  change(value);
  fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

export function readEvents({ audit }: Place): RaspEvent[] {
  const lines = fs.readFileSync(path.join(audit, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RaspEvent);
}

/** Writes the log with correct numbers and chain, which is possible without the key. */
export function writeEvents(place: Place, events: readonly RaspEvent[]): RaspEvent[] {
  let chain = genesisChain(place.runId);
  const chained = events.map(({ chain: _, ...event }, index) => {
    const json = JSON.stringify({ ...event, seq: index + 1 });
    chain = sha256(chain + json);
    return `${json.slice(0, -1)},"chain":"${chain}"}`;
  });
  fs.writeFileSync(at(place, 'events.jsonl'), `${chained.join('\n')}\n`);
  fs.rmSync(at(place, 'events.idx'), { force: true });
  return chained.map((line) => JSON.parse(line) as RaspEvent);
}

/** Changes events, and updates `.run.json` to match them. */
export function forgeEvents(place: Place, change: (events: RaspEvent[]) => RaspEvent[]): void {
  const events = writeEvents(place, change(readEvents(place)));
  const file = path.join(place.run, '.run.json');
  const { format, live } = JSON.parse(fs.readFileSync(file, 'utf8')) as RunRecord;
  const last = events.at(-1)!;
  const record = { format, live, ...foldRunState(events), head_seq: last.seq, chain: last.chain };
  fs.writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}

/** Makes a new seal for the current files, which is possible with the key. */
export function sealAgain(place: Place, attempt: number, key: SealKey = ownKey(place)): void {
  const file = at(place, `seal.${attempt}.json`);
  const { signature: _, ...seal } = JSON.parse(fs.readFileSync(file, 'utf8')) as Seal;
  for (const sealed of seal.files) {
    const bytes = fs.readFileSync(at(place, sealed.path));
    const kept = sealed.prefix ? bytes.subarray(0, Math.min(bytes.length, sealed.bytes)) : bytes;
    Object.assign(sealed, { bytes: kept.length, sha256: sha256(kept) });
  }
  const last = readEvents(place)
    .filter((event) => event.attempt_number <= attempt)
    .at(-1)!;
  seal.chain = { seq: last.seq, head: last.chain };
  seal.key = { algorithm: 'ed25519', id: key.id, public_key: key.publicKey };
  const signature = sign(null, Buffer.from(JSON.stringify(seal)), key.privateKey).toString('base64');
  fs.writeFileSync(file, `${JSON.stringify({ ...seal, signature }, null, 2)}\n`);
}

export function ownKey({ home }: Place): SealKey {
  return loadSealKey(path.join(home, 'keys'));
}

export function sealHash(place: Place, attempt: number): string {
  return sha256(fs.readFileSync(at(place, `seal.${attempt}.json`)));
}

/** Writes a changed ledger with a consistent chain. */
export function rewriteLedger({ home }: Pick<Place, 'home'>, change: (entries: LedgerEntry[]) => LedgerEntry[]): void {
  const file = path.join(home, 'ledger/entries.jsonl');
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  let previous = nodeSha256.of('');
  const written = change(lines.map((line) => JSON.parse(line) as LedgerEntry)).map((entry, n) => {
    const line = JSON.stringify({ ...entry, n, previous });
    previous = leafHash(Buffer.from(line), nodeSha256);
    return `${line}\n`;
  });
  fs.writeFileSync(file, written.join(''));
  fs.rmSync(path.join(home, 'ledger/hashes'), { force: true });
}

/** The live entry of an attempt whose recorder died. */
export const DEAD = {
  supervisor: { pid: 1, start_time: '0', boot_id: 'x', host: 'x' },
  child: null,
  marker: 'x',
  started_at: null,
  capture: { mode: 'split', reason: 'x', level: 'full' },
  env_names: [],
  secret_names: [],
};
