import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RaspEvent } from '../../../src/protocol/index.ts';
import { loadSealKey } from '../../../src/recording/index.ts';
import {
  at,
  DEAD,
  editJson,
  flip,
  forgeEvents,
  type Loose,
  type Place,
  readEvents,
  replace,
  sealAgain,
  sha256,
  writeEvents,
} from './forge.ts';

/** The forgery, the file that verify must name, and the function that makes it. */
export type Forgery = readonly [what: string, named: string, forge: (place: Place) => void | Promise<void>];

const record = (place: Place) => path.join(place.run, '.run.json');
const otherAudit = (place: Place) => path.join(place.other, '.audit');

const inRecord = (what: string, change: (value: Loose) => void): Forgery => [
  `.run.json: ${what}`,
  '.run.json',
  (place) => editJson(record(place), change),
];

const inEvents = (what: string, change: (events: RaspEvent[]) => RaspEvent[]): Forgery => [
  `events, chained again: ${what}`,
  'events.jsonl',
  (place) => forgeEvents(place, change),
];

const flipped = (name: string): Forgery => [`one bit of ${name}`, name, (place) => flip(at(place, name))];
const removed = (name: string): Forgery => [`${name} removed`, name, (place) => fs.rmSync(at(place, name))];
const added = (name: string, content = '{"forged":true}\n'): Forgery => [
  `${name} added`,
  name,
  (place) => {
    fs.mkdirSync(path.dirname(at(place, name)), { recursive: true });
    fs.writeFileSync(at(place, name), content);
  },
];

const text = (event: RaspEvent) => JSON.stringify(event.data);

/** Events of an attempt that never happened, copied from the first. */
export function inventAttempt(place: Place, attempt: number): void {
  for (const name of fs.readdirSync(place.audit).filter((file) => /\.1\.(?:json|log|idx)$/.test(file))) {
    fs.copyFileSync(at(place, name), at(place, name.replace('.1.', `.${attempt}.`)));
  }
  forgeEvents(place, (events) => [
    ...events,
    ...events
      .filter(({ attempt_number }) => attempt_number === 1)
      .map((event) => ({ ...event, attempt_number: attempt })),
  ]);
}

const BYTES: readonly Forgery[] = [
  ...['stdout.1.log', 'pty-output.1.log', 'pty-timing.1.log', 'chunks.1.idx', 'stdout.2.log'].map(flipped),
  ...['fs-before.1.json', 'fs-after.1.json', 'fs-diff.1.json'].map(flipped),
  ['stdout cut', 'stdout.1.log', (place) => fs.truncateSync(at(place, 'stdout.1.log'), 3)],
  ['stdout emptied', 'stdout.1.log', (place) => fs.truncateSync(at(place, 'stdout.1.log'))],
  ['stdout continued', 'stdout.1.log', (place) => fs.appendFileSync(at(place, 'stdout.1.log'), 'more\n')],
  ['stdin continued', 'stdin.2.log', (place) => fs.appendFileSync(at(place, 'stdin.2.log'), 'yes\n')],
  ...['stdout.1.log', 'fs-diff.2.json', 'pty-timing.2.log'].map(removed),
  [
    'output of the attempts exchanged',
    'stdout.1.log',
    (place) => {
      fs.renameSync(at(place, 'stdout.1.log'), at(place, 'x.tmp'));
      fs.renameSync(at(place, 'stdout.2.log'), at(place, 'stdout.1.log'));
      fs.renameSync(at(place, 'x.tmp'), at(place, 'stdout.2.log'));
    },
  ],
  [
    'output of another run',
    'stdout.1.log',
    (place) => fs.copyFileSync(path.join(otherAudit(place), 'stdout.1.log'), at(place, 'stdout.1.log')),
  ],
  [
    'content of a created file',
    'blobs/',
    (place) => flip(path.join(place.audit, 'blobs', fs.readdirSync(at(place, 'blobs'))[0]!), 0),
  ],
  [
    'content of a file removed',
    'blobs/',
    (place) => fs.rmSync(path.join(place.audit, 'blobs', fs.readdirSync(at(place, 'blobs'))[0]!)),
  ],
];

const EVENTS: readonly Forgery[] = [
  flipped('events.jsonl'),
  removed('events.jsonl'),
  ['events: log emptied', 'events.jsonl', (place) => fs.truncateSync(at(place, 'events.jsonl'))],
  ['events: half a line more', 'events.jsonl', (place) => fs.appendFileSync(at(place, 'events.jsonl'), '{"proto')],
  ['events: another line ending', 'events.jsonl', (place) => replace(at(place, 'events.jsonl'), '\n', '\r\n')],
  inEvents('the exit code', (events) =>
    events.map((event) => JSON.parse(JSON.stringify(event).replace('"exit_code":0', '"exit_code":7'))),
  ),
  inEvents('one left out', (events) => events.toSpliced(3, 1)),
  inEvents('the last left out', (events) => events.slice(0, -1)),
  inEvents('two exchanged', (events) => events.with(2, events[3]!).with(3, events[2]!)),
  inEvents('one more inside', (events) => events.toSpliced(4, 0, events[4]!)),
  inEvents('one more at the end', (events) => [...events, events.at(-1)!]),
  inEvents('moved to another attempt', (events) => events.map((event) => ({ ...event, attempt_number: 1 }))),
  inEvents('the request', (events) =>
    events.map((event) => JSON.parse(JSON.stringify(event).replaceAll('write a report', 'drop the tables'))),
  ),
  inEvents('all of the second attempt left out', (events) => events.filter((event) => event.attempt_number === 1)),
  inEvents('the time', (events) => events.map((event) => ({ ...event, ts: event.ts.replace(/^20/, '19') }))),
  [
    'events: an index that skips events',
    'events.idx',
    (place) => {
      const index = Buffer.concat([fs.readFileSync(at(place, 'events.idx')).subarray(0, 48), Buffer.alloc(48)]);
      index.writeDoubleLE(5, 48);
      index.writeDoubleLE(fs.statSync(at(place, 'events.jsonl')).size, 56);
      fs.writeFileSync(at(place, 'events.idx'), index);
    },
  ],
];

const FACTS: readonly Forgery[] = [
  [
    'meta: the exit code',
    'meta.1.json',
    (place) => replace(at(place, 'meta.1.json'), '"exit_code": 0', '"exit_code": 1'),
  ],
  [
    'meta: the command',
    'meta.2.json',
    (place) => editJson(at(place, 'meta.2.json'), (meta) => meta.args.push('--forged')),
  ],
  ['meta: white space', 'meta.1.json', (place) => fs.appendFileSync(at(place, 'meta.1.json'), '\n')],
  [
    'meta: that of the other attempt',
    'meta.2.json',
    (place) => fs.copyFileSync(at(place, 'meta.1.json'), at(place, 'meta.2.json')),
  ],
  [
    'meta: that of another run',
    'meta.1.json',
    (place) => fs.copyFileSync(path.join(otherAudit(place), 'meta.1.json'), at(place, 'meta.1.json')),
  ],
  removed('meta.2.json'),
];

const seal = (what: string, change: (seal: Loose) => void, number = 2): Forgery => [
  `seal: ${what}`,
  `seal.${number}.json`,
  (place) => editJson(at(place, `seal.${number}.json`), change),
];

const SEALS: readonly Forgery[] = [
  seal('another time', (value) => (value.sealed_at = '2020-01-01T00:00:00.000Z')),
  seal('another signature', (value) => (value.signature = Buffer.alloc(64).toString('base64'))),
  seal(
    'another run',
    (value) => (value.run_id = value.run_id.replace(/.$/, (last: string) => (last === 'f' ? '0' : 'f'))),
  ),
  seal('another attempt', (value) => (value.attempt = 1)),
  seal('fewer files', (value) => value.files.pop()),
  seal('one field more', (value) => (value.more = true)),
  seal('a newer format', (value) => (value.format = 'tacho-seal/9')),
  removed('seal.1.json'),
  ['seal: not JSON', 'seal.1.json', (place) => fs.writeFileSync(at(place, 'seal.1.json'), '{')],
  [
    'seal: that of the first attempt for the second',
    'seal.2.json',
    (place) => fs.copyFileSync(at(place, 'seal.1.json'), at(place, 'seal.2.json')),
  ],
  [
    'seal: that of another run',
    'seal.1.json',
    (place) => fs.copyFileSync(path.join(otherAudit(place), 'seal.1.json'), at(place, 'seal.1.json')),
  ],
  [
    'seal: signed with another key',
    'seal.2.json',
    (place) => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-forger-'));
      fs.writeFileSync(at(place, 'stdout.2.log'), 'all is well\n');
      sealAgain(place, 2, loadSealKey(folder));
      fs.rmSync(folder, { recursive: true });
    },
  ],
  ['seal: an invented attempt with a copied seal', 'seal.3.json', (place) => inventAttempt(place, 3)],
  [
    'seal: the second attempt passed off as the third',
    'seal.3.json',
    (place) => {
      for (const name of fs.readdirSync(place.audit).filter((file) => /\.2\.(?:json|log|idx)$/.test(file))) {
        fs.renameSync(at(place, name), at(place, name.replace('.2.', '.3.')));
      }
      forgeEvents(place, (events) =>
        events.map((event) => (event.attempt_number === 2 ? { ...event, attempt_number: 3 } : event)),
      );
    },
  ],
];

const SHOWN: readonly Forgery[] = [
  flipped('conversation.jsonl'),
  removed('conversation.jsonl'),
  [
    'conversation: one message more',
    'conversation.jsonl',
    (place) => {
      const last = fs.readFileSync(at(place, 'conversation.jsonl'), 'utf8').trimEnd().split('\n').at(-1)!;
      const message = JSON.parse(last);
      fs.appendFileSync(at(place, 'conversation.jsonl'), `${JSON.stringify({ ...message, seq: message.seq + 1 })}\n`);
    },
  ],
  ['conversation: cut', 'conversation.jsonl', (place) => fs.truncateSync(at(place, 'conversation.jsonl'), 10)],
  inRecord('the status', (value) => (value.status = 'failed')),
  inRecord('the command', (value) => (value.command = ['rm', '-rf', '/'])),
  inRecord('the exit code', (value) => (value.last.exit_code = 3)),
  inRecord('the prompt', (value) => (value.request.prompt = 'drop the tables')),
  inRecord('the folder', (value) => (value.cwd = '/')),
  inRecord('the time', (value) => (value.created_at = '2020-01-01T00:00:00.000Z')),
  inRecord('the number of attempts', (value) => (value.attempt = 1)),
  inRecord('a question', (value) => (value.question = { interaction_id: 'x', prompt: 'Your password?' })),
  inRecord('the usage', (value) => (value.usage = { ...value.usage, input_tokens: 1 })),
  inRecord('a recovery', (value) => (value.recovered = [1])),
  inRecord('a newer format', (value) => Object.assign(value, { format: 'tacho-run/9', status: 'failed' })),
  inRecord('another event', (value) => (value.head_seq = 2)),
  inRecord('an attempt being recorded', (value) => (value.live = { attempt: 2, ...DEAD })),
  [
    '.run.json: as it was earlier',
    '.run.json',
    (place) => fs.copyFileSync(path.join(place.earlier, '.run.json'), record(place)),
  ],
  [
    '.run.json: that of another run',
    '.run.json',
    (place) => fs.copyFileSync(path.join(place.other, '.run.json'), record(place)),
  ],
  ['.run.json: removed', '.run.json', (place) => fs.rmSync(record(place))],
  ['.run.json: not JSON', '.run.json', (place) => fs.writeFileSync(record(place), '{')],
];

const ADDED: readonly Forgery[] = [
  added('parser_diagnostics.jsonl'),
  added('writes.1.jsonl'),
  added('redactions.1.json', '{"format":"tacho-redactions/1","ranges":[]}'),
  added('fd-trace.1.log'),
  added('notes.txt'),
  added('stdout.3.log', 'an attempt that never was\n'),
  added('meta.3.json'),
  added(`blobs/${sha256('x')}`, 'x'),
];

const WHOLE: readonly Forgery[] = [
  [
    'the run as it was after its first attempt',
    'seal.2.json',
    (place) => {
      fs.rmSync(place.run, { recursive: true });
      fs.cpSync(place.earlier, place.run, { recursive: true });
    },
  ],
  [
    'the record of another run in its place',
    'seal.1.json',
    (place) => {
      fs.rmSync(place.run, { recursive: true });
      fs.cpSync(place.other, place.run, { recursive: true });
    },
  ],
  [
    'the audit folder of another run',
    'events.jsonl',
    (place) => {
      fs.rmSync(place.audit, { recursive: true });
      fs.cpSync(otherAudit(place), place.audit, { recursive: true });
    },
  ],
  ['a stripped seal, then recover', 'seal.2.json', (place) => stripped(place, [2])],
  ['two stripped seals, then recover', 'seal.1.json', (place) => stripped(place, [1, 2])],
  [
    'a stripped seal over changed events, then recover',
    'seal.2.json',
    (place) => {
      writeEvents(
        place,
        readEvents(place).filter((event) => !text(event).includes('finished')),
      );
      return stripped(place, [2]);
    },
  ],
];

/** Removes all files written at the end of an attempt, and makes the record say that its recorder died. */
async function stripped(place: Place, attempts: readonly number[]): Promise<void> {
  for (const attempt of attempts) {
    for (const name of ['seal', 'meta', 'fs-diff']) fs.rmSync(at(place, `${name}.${attempt}.json`));
  }
  editJson(record(place), (value) => {
    value.live = { attempt: attempts.at(-1), ...DEAD };
  });
  await place.tacho(['recover', place.runId]);
}

const KINDS = [BYTES, EVENTS, FACTS, SEALS, SHOWN, ADDED, WHOLE];

export const WITHOUT_KEY: readonly Forgery[] = KINDS.flat();
export const ONE_OF_EACH_KIND: readonly Forgery[] = KINDS.map(([first]) => first!);
