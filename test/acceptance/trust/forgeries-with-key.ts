import fs from 'node:fs';
import path from 'node:path';
import { nodeSha256 } from '../../../src/journal/index.ts';
import { Ledger } from '../../../src/ledger/index.ts';
import type { LedgerEntry } from '../../../src/protocol/index.ts';
import { leafHash } from '../../../src/record/index.ts';
import { loadSealKey } from '../../../src/recording/index.ts';
import { at, editJson, forgeEvents, type Place, replace, rewriteLedger, sealAgain, sealHash } from './forge.ts';
import { inventAttempt } from './forgeries.ts';

/** A forgery made with the key after a ledger head was saved elsewhere, and the message that reports it. */
export type KeyForgery = readonly [what: string, said: RegExp, forge: (place: Place) => void | Promise<void>];

const NOT_THE_SEAL = /is not the seal that was made/;
const OTHER_ENTRIES = /the first \d+ entries of the ledger are not those it had/;
const FEWER = /the ledger has \d+ entries, and had \d+/;
const TWICE = /was sealed more than once/;

/** Changes something, and makes matching seals for both attempts. */
function forged(place: Place, change: () => void): void {
  change();
  sealAgain(place, 1);
  sealAgain(place, 2);
}

const output = (place: Place) => () => fs.writeFileSync(at(place, 'stdout.1.log'), 'all is well\n');
const append = (place: Place, entry: Pick<LedgerEntry, 'what' | 'run_id' | 'attempt' | 'seal'>) =>
  new Ledger(path.join(place.home, 'ledger')).append(entry);
const isOf = (place: Place, attempt: number) => (entry: LedgerEntry) =>
  entry.run_id === place.runId && entry.attempt === attempt;

/** Rewrites the ledger as if the current seals of the run were the original ones. */
function fitLedger(place: Place): void {
  rewriteLedger(place, (entries) =>
    entries.map((entry) =>
      entry.run_id === place.runId ? { ...entry, seal: sealHash(place, entry.attempt!) } : entry,
    ),
  );
}

function enteredAgain(what: LedgerEntry['what']): KeyForgery {
  return [
    `a new seal, entered as ${what}`,
    TWICE,
    async (place) => {
      forged(place, output(place));
      await append(place, { what, run_id: place.runId, attempt: 1, seal: sealHash(place, 1) });
    },
  ];
}

export const WITH_KEY: readonly KeyForgery[] = [
  ['output', NOT_THE_SEAL, (place) => forged(place, output(place))],
  [
    'events',
    NOT_THE_SEAL,
    (place) =>
      forged(place, () =>
        forgeEvents(place, (events) => events.map((event) => ({ ...event, ts: event.ts.replace(/^20/, '19') }))),
      ),
  ],
  [
    'facts of an attempt',
    NOT_THE_SEAL,
    (place) => forged(place, () => replace(at(place, 'meta.1.json'), '"exit_code": 0', '"exit_code": 1')),
  ],
  ['the conversation', NOT_THE_SEAL, (place) => forged(place, () => fs.truncateSync(at(place, 'conversation.jsonl')))],
  [
    'the time of a seal',
    NOT_THE_SEAL,
    (place) =>
      forged(place, () => editJson(at(place, 'seal.1.json'), (seal) => (seal.sealed_at = '2020-01-01T00:00:00.000Z'))),
  ],
  ['a seal removed', /is gone/, (place) => fs.rmSync(at(place, 'seal.2.json'))],
  ['a run removed', /is gone/, (place) => fs.rmSync(place.run, { recursive: true })],
  [
    'another run in its place',
    NOT_THE_SEAL,
    (place) => {
      fs.rmSync(place.run, { recursive: true });
      fs.cpSync(place.other, place.run, { recursive: true });
    },
  ],
  [
    'the run as it was after its first attempt',
    /is gone/,
    (place) => {
      fs.rmSync(place.run, { recursive: true });
      fs.cpSync(place.earlier, place.run, { recursive: true });
    },
  ],
  ...(['sealed', 'recovered', 'completed'] as const).map(enteredAgain),
  [
    'a new seal, and the ledger rewritten to match',
    OTHER_ENTRIES,
    (place) => {
      forged(place, output(place));
      fitLedger(place);
    },
  ],
  [
    'a new seal, the ledger rewritten, and its stored hashes unchanged',
    OTHER_ENTRIES,
    (place) => {
      const kept = path.join(place.home, 'ledger/hashes');
      const before = fs.readFileSync(kept);
      forged(place, output(place));
      fitLedger(place);
      rewriteLedger(place, (entries) => [
        ...entries,
        { ...entries.at(-1)!, what: 'removed', attempt: null, seal: null },
      ]);
      const last = fs.readFileSync(path.join(place.home, 'ledger/entries.jsonl'), 'utf8').trimEnd().split('\n').at(-1)!;
      const leaf = Buffer.from(leafHash(Buffer.from(last), nodeSha256), 'hex');
      // The fourth entry completes two subtrees.
      fs.writeFileSync(kept, Buffer.concat([before, leaf, Buffer.alloc(64)]));
    },
  ],
  [
    'a run removed from the ledger as well',
    FEWER,
    (place) => {
      fs.rmSync(place.run, { recursive: true });
      rewriteLedger(place, (entries) => entries.filter(({ run_id }) => run_id !== place.runId));
    },
  ],
  [
    'an attempt removed from the ledger as well',
    FEWER,
    (place) => {
      fs.rmSync(place.run, { recursive: true });
      fs.cpSync(place.earlier, place.run, { recursive: true });
      rewriteLedger(place, (entries) => entries.filter((entry) => !isOf(place, 2)(entry)));
    },
  ],
  [
    'an attempt replaced in the ledger by another run',
    OTHER_ENTRIES,
    (place) =>
      rewriteLedger(place, (entries) =>
        entries.map((entry) =>
          isOf(place, 2)(entry) ? { ...entry, run_id: entries.at(-1)!.run_id, attempt: 7 } : entry,
        ),
      ),
  ],
  ['the last entry removed', FEWER, (place) => rewriteLedger(place, (entries) => entries.slice(0, -1))],
  ['entries in another order', OTHER_ENTRIES, (place) => rewriteLedger(place, (entries) => entries.toReversed())],
  [
    'an entry with another time',
    OTHER_ENTRIES,
    (place) =>
      rewriteLedger(place, (entries) => entries.map((entry) => ({ ...entry, at: '2020-01-01T00:00:00.000Z' }))),
  ],
  ['the ledger removed', FEWER, (place) => fs.rmSync(path.join(place.home, 'ledger'), { recursive: true })],
  [
    'a run that is changed, and entered as removed',
    /was removed at .*, and its folder is there/,
    async (place) => {
      forged(place, output(place));
      await append(place, { what: 'removed', run_id: place.runId, attempt: null, seal: null });
    },
  ],
  [
    'an invented attempt with its own seal',
    /seal\.3\.json: not in the ledger/,
    (place) => {
      inventAttempt(place, 3);
      editJson(at(place, 'seal.3.json'), (seal) => {
        seal.attempt = 3;
        seal.files = [];
        seal.sealed_at = new Date().toISOString();
      });
      sealAgain(place, 3);
    },
  ],
  [
    'everything signed again with another key',
    /the head was signed with key/,
    (place) => {
      fs.rmSync(path.join(place.home, 'keys'), { recursive: true });
      loadSealKey(path.join(place.home, 'keys'));
      forged(place, output(place));
      fitLedger(place);
    },
  ],
];
