import { describe, expect, test } from 'vitest';
import type { RaspEvent, RawRef, Redactions } from '../../src/protocol/index.ts';
import { withWholeTexts } from '../../src/record/index.ts';
import { collect } from '../journal/workspace.ts';
import { raspEvent } from '../protocol/samples.ts';
import { filesInMemory } from './files-in-memory.ts';

const SECRET = 'correct-horse';
const OUTPUT = `${'x'.repeat(2000)}${SECRET}é${'y'.repeat(500)}\n`;
const MASKED = OUTPUT.replace(SECRET, '*'.repeat(SECRET.length));
const REDACTION = { stream: 'stdout', byte_from: 2000, byte_to: 2000 + SECRET.length, name: 'MY_TOKEN' } as const;
const FILES = {
  'stdin.1.log': OUTPUT,
  'stdout.1.log': OUTPUT,
  'stderr.1.log': OUTPUT.replace(SECRET, 'nothing-at-al'),
  'pty-output.1.log': `header\n${OUTPUT}`,
  'redactions.1.json': redactions([REDACTION, { ...REDACTION, stream: 'pty' }]),
};

function redactions(ranges: Redactions['ranges']): string {
  return JSON.stringify({ format: 'tacho-redactions/1', ranges });
}

function cut(changes: { data?: object; raw_ref?: RawRef; type?: 'raw.stdout' | 'raw.pty' } = {}): RaspEvent {
  const { type = 'raw.stdout', data, raw_ref } = changes;
  return raspEvent(type, {
    data: { text: OUTPUT.slice(0, 1024), lines: 1, truncated: true, masked: SECRET.length, ...data },
    raw_ref: raw_ref ?? { attempt_number: 1, stream: 'stdout', byte_from: 0, byte_to: Buffer.byteLength(OUTPUT) },
  });
}

const range = (changes: object) => ({ ...(cut().raw_ref as object), ...changes }) as RawRef;
const resolved = async (event: unknown, contents: Record<string, string | Uint8Array> = FILES) =>
  (await collect(withWholeTexts(filesInMemory('run', contents), [event as RaspEvent])))[0]!;

describe('the whole text of cut output', () => {
  test('is that of its bytes, with redactions applied', async () => {
    expect(await resolved(cut())).toEqual({ ...cut(), data: { text: MASKED, lines: 1, masked: SECRET.length } });
  });

  test('is found behind the header of a merged log', async () => {
    const raw_ref = range({ stream: 'pty', byte_from: 7, byte_to: 7 + Buffer.byteLength(OUTPUT) });
    expect((await resolved(cut({ type: 'raw.pty', raw_ref }))).data).toMatchObject({ text: MASKED });
  });

  test('is given to messages, too', async () => {
    const message = {
      type: 'raw.stderr',
      data: { text: OUTPUT.slice(1000, 2000), lines: 1, truncated: true },
      raw_ref: range({ stream: 'stderr', byte_from: 1000, byte_to: 2200 }),
    };
    expect((await resolved(message)).data).toEqual({ text: FILES['stderr.1.log'].slice(1000, 2199), lines: 1 });
  });

  test('of something that is not text is its beginning', async () => {
    const bytes = Buffer.alloc(2000, 0x80);
    const event = cut({ data: { text: '\ufffd', masked: undefined }, raw_ref: range({ byte_to: 2000 }) });
    expect(await resolved(event, { 'stdout.1.log': bytes })).toBe(event);
  });
});

describe('output is left as it is, and the reason is given,', () => {
  const noRedactions = { ...FILES, 'redactions.1.json': redactions([]) };
  const { 'redactions.1.json': _removed, ...withoutRedactions } = FILES;

  test.each([
    ['when the redactions were removed', cut(), withoutRedactions, 'REDACTIONS_DIFFER'],
    ['when a redaction was removed', cut(), noRedactions, 'REDACTIONS_DIFFER'],
    ['when a redaction was added', cut({ data: { masked: undefined } }), FILES, 'REDACTIONS_DIFFER'],
    ['when the redactions cannot be read', cut(), { ...FILES, 'redactions.1.json': '{' }, 'REDACTIONS_DIFFER'],
    ['when its file is missing', cut(), { 'redactions.1.json': FILES['redactions.1.json'] }, 'OUTPUT_MISSING'],
    ['when its file is too short', cut(), { ...FILES, 'stdout.1.log': OUTPUT.slice(0, 2100) }, 'OUTPUT_MISSING'],
    ['when the bytes do not fit the beginning', cut({ data: { text: 'other' } }), FILES, 'OUTPUT_DIFFERS'],
    ['without bytes', { ...cut(), raw_ref: null }, FILES, 'REFERENCE_INVALID'],
    ['of several ranges', cut({ raw_ref: [cut().raw_ref, cut().raw_ref] as RawRef }), FILES, 'REFERENCE_INVALID'],
    ['of what was typed', cut({ raw_ref: range({ stream: 'stdin' }) }), FILES, 'REFERENCE_INVALID'],
    [
      'of a stream that does not exist',
      cut({ raw_ref: range({ stream: '../../secret' }) }),
      FILES,
      'REFERENCE_INVALID',
    ],
    ['of an attempt that does not exist', cut({ raw_ref: range({ attempt_number: 2 }) }), FILES, 'OUTPUT_MISSING'],
    [
      'of an attempt that is not a number',
      cut({ raw_ref: range({ attempt_number: '1/../1' }) }),
      FILES,
      'REFERENCE_INVALID',
    ],
    ['of more bytes than an event has', cut({ raw_ref: range({ byte_to: 1e12 }) }), FILES, 'REFERENCE_INVALID'],
    ['of a range that ends before it begins', cut({ raw_ref: range({ byte_from: 3000 }) }), FILES, 'REFERENCE_INVALID'],
    [
      'of the header of a merged log',
      cut({ type: 'raw.pty', raw_ref: range({ stream: 'pty' }) }),
      FILES,
      'REFERENCE_INVALID',
    ],
  ])('%s', async (_when, event, contents, unresolved) => {
    expect(await resolved(event, contents)).toEqual({ ...event, data: { ...event.data, unresolved } });
  });

  test('when the port to its file fails', async () => {
    const files = filesInMemory('run', FILES);
    const open = async (name: string) => {
      if (name === 'stdout.1.log') throw new Error('EIO');
      return files.open(name);
    };
    const [event] = await collect(withWholeTexts({ ...files, open }, [cut()]));
    expect(event!.data).toMatchObject({ truncated: true, unresolved: 'OUTPUT_MISSING' });
  });
});

test.each([
  ['whole output', cut({ data: { truncated: undefined } })],
  ['an event of another type', { ...cut(), event: { category: 'diagnostic', type: 'diagnostic.parser.warning' } }],
  ['a line that is not an event', null],
])('%s is left as it is', async (_what, event) => {
  expect(await resolved(event)).toBe(event);
});

test('references to far more output than there is are read in parts', async () => {
  const events = Array.from({ length: 200 }, () => cut());
  const parts: RaspEvent[][] = [];
  for await (const part of withWholeTexts(filesInMemory('run', FILES), events)) parts.push(part);
  expect(parts.map(({ length }) => length)).toEqual([64, 64, 64, 8]);
  expect(parts.flat().every(({ data }) => 'text' in data && data.text === MASKED)).toBe(true);
});
