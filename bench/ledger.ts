import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { nodeSha256 } from '../src/journal/index.ts';
import { Ledger, proofOf } from '../src/ledger/index.ts';
import { formatHead, leafHash } from '../src/record/index.ts';
import { loadSealKey, type SealKey } from '../src/recording/index.ts';
import type { Row } from './row.ts';
import { median } from './support/figures.ts';

export const name = 'ledger';
export const goal = '100,000 seals: one fsync an append, a proof ≤ 10 ms, `verify --since` ≤ 2 s';
export const about =
  'A data folder with 100,000 sealed runs, each seal of about 2 kB listed in the ledger. An append is one entry; its fsyncs are ' +
  'counted. A proof leads from the seals of one run to a signed head. `tacho verify --since` is the whole command, from its start. ' +
  'Peer: sha256sum of the same seals.';

const SEALS = 100_000;
const SEAL_BYTES = 2048;
const ROUNDS = 101;
const tacho = path.join(path.dirname(import.meta.dirname), 'bin/tacho');

export async function run(): Promise<Row[]> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    fillDataFolder(home);
    const ledger = new Ledger(path.join(home, 'ledger'));
    const key = loadSealKey(path.join(home, 'keys'));
    const head = formatHead(await ledger.read((reader) => reader.head(key)));
    const since = verifySince(home, head);
    const peer = seconds(() =>
      execFileSync('sh', ['-c', `find '${home}/runs' -name 'seal.1.json' -exec sha256sum {} + > '${home}/sums'`]),
    );
    const proof = await proofTime(ledger, key);
    const { fsyncs, ms } = await appendCost(ledger);
    return [
      { ...row('ledger append, fsyncs', `${fsyncs}`, '= 1', fsyncs === 1), note: `${ms.toFixed(2)} ms` },
      row('ledger proof of one run in 100,000', `${proof.toFixed(1)} ms`, '≤ 10 ms', proof <= 10),
      {
        ...row('verify --since, 100,000 seals', `${since.toFixed(2)} s`, '≤ 2 s', since <= 2),
        peer: `${peer.toFixed(2)} s`,
        peerName: 'find and sha256sum',
        ratio: since / peer,
      },
    ];
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function row(what: string, ours: string, wanted: string, met: boolean): Row {
  return { what, ours, peer: '–', peerName: '–', ratio: null, goal: wanted, met };
}

/** Seals and ledger entries like those of 100,000 runs; recording them would take hours. */
function fillDataFolder(home: string): void {
  fs.mkdirSync(path.join(home, 'ledger'));
  const entries = fs.openSync(path.join(home, 'ledger/entries.jsonl'), 'w', 0o600);
  let previous = nodeSha256.of('');
  for (let n = 0; n < SEALS; n++) {
    const run_id = runIdOf(n);
    const audit = path.join(home, 'runs', run_id, '.audit');
    fs.mkdirSync(audit, { recursive: true });
    const content = randomBytes(SEAL_BYTES / 2).toString('hex');
    fs.writeFileSync(path.join(audit, 'seal.1.json'), content);
    const entry = {
      n,
      at: '2026-11-15T08:00:00.000Z',
      what: 'sealed',
      run_id,
      attempt: 1,
      seal: nodeSha256.of(content),
    };
    const line = JSON.stringify({ ...entry, previous });
    previous = leafHash(Buffer.from(line), nodeSha256);
    fs.writeSync(entries, `${line}\n`);
  }
  fs.closeSync(entries);
}

function runIdOf(n: number): string {
  return `20261115T080000-text-${n.toString(16).padStart(8, '0')}`;
}

function verifySince(home: string, head: string): number {
  const times = Array.from({ length: 3 }, () =>
    seconds(() => execFileSync(process.execPath, [tacho, 'verify', '--since', head, '--data', home])),
  );
  return median(times);
}

async function proofTime(ledger: Ledger, key: SealKey): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const runId = runIdOf(Math.floor((round / ROUNDS) * SEALS));
    const start = performance.now();
    await proofOf(ledger, { runId, key });
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Number of fsyncs and duration of one append. */
async function appendCost(ledger: Ledger): Promise<{ fsyncs: number; ms: number }> {
  const { fsyncSync, fdatasyncSync } = fs;
  let fsyncs = 0;
  const counted = (sync: (fd: number) => void) => (fd: number) => {
    fsyncs++;
    sync(fd);
  };
  Object.assign(fs, { fsyncSync: counted(fsyncSync), fdatasyncSync: counted(fdatasyncSync) });
  syncBuiltinESMExports();
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await ledger.append({ what: 'sealed', run_id: runIdOf(SEALS + round), attempt: 1, seal: nodeSha256.of('x') });
      times.push(performance.now() - start);
    }
    return { fsyncs: fsyncs / ROUNDS, ms: median(times) };
  } finally {
    Object.assign(fs, { fsyncSync, fdatasyncSync });
    syncBuiltinESMExports();
  }
}

function seconds(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
}
