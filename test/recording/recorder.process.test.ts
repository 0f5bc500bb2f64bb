import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ptyHeaderBytes } from '../../src/recording/index.ts';
import { proofSize } from '../support/proof-size.ts';
import { smallDisk } from '../support/small-disk.ts';
import { record, type Step, startRecording, temporaryFolder } from './recording.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const output = (kind: 'a' | 'b' | 'input', content: string, wait = 1): Step => ({
  kind,
  bytes: Buffer.from(content),
  wait,
});

const bytes = fc.uint8Array({ maxLength: 40 }).map((values) => Buffer.from(values));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('a' as const, 'b' as const, 'input' as const),
      bytes,
      wait: fc.nat({ max: 3_000_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      cols: fc.nat({ max: 65_535 }),
      rows: fc.nat({ max: 65_535 }),
      wait: fc.nat({ max: 1000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const), wait: fc.nat({ max: 1000 }) }) },
);

const from = (steps: readonly Step[], ...kinds: string[]) =>
  Buffer.concat(steps.map((one) => ('bytes' in one && kinds.includes(one.kind) ? one.bytes : Buffer.alloc(0))));

describe('Recorder', () => {
  test('keeps every byte in its stream and in reading order, and announces it after writing', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.constantFrom('split' as const, 'merged' as const),
        (steps, mode) => {
          const own = mode === 'split' ? steps : steps.filter(({ kind }) => kind !== 'b');
          const recording = startRecording({
            mode,
            // Bytes are in the files before they are announced.
            onRecorded: () => expect(fs.statSync(recording.pathOf('pty')).size).toBe(recording.recorder.size('pty')),
          });
          record(recording, own);
          recording.recorder.close();
          const header = ptyHeaderBytes(recording.pathOf('pty'));
          expect(recording.file('stdin')).toEqual(from(own, 'input'));
          expect(recording.file('pty').subarray(header)).toEqual(from(own, 'a', 'b'));
          if (mode === 'split') {
            expect(recording.file('stdout')).toEqual(from(own, 'a'));
            expect(recording.file('stderr')).toEqual(from(own, 'b'));
          } else {
            expect(fs.existsSync(recording.pathOf('stdout'))).toBe(false);
          }
          const names = { a: mode === 'split' ? 'stdout' : 'pty', b: 'stderr' };
          let time = recording.clock.time - own.reduce((sum, { wait }) => sum + wait, 0);
          const expected = own.flatMap((one) => {
            time += one.wait;
            if ((one.kind !== 'a' && one.kind !== 'b') || one.bytes.length === 0) return [];
            return [{ stream: names[one.kind], bytes: one.bytes, time }];
          });
          expect(recording.announced).toEqual(expected);
          expect(recording.failures).toEqual([]);
        },
      ),
      { numRuns: proofSize({ small: 20, full: 60 }) },
    );
  });

  test('writes pieces larger than its buffer, one after the other', () => {
    const recording = startRecording();
    const large = Buffer.from(Array.from({ length: 700_001 }, (_, index) => index % 251));
    record(recording, [output('b', 'before'), { kind: 'a', bytes: large, wait: 5 }, output('b', 'after')]);
    recording.recorder.close();
    expect(recording.file('stdout').equals(large)).toBe(true);
    expect(recording.file('stderr').toString()).toBe('beforeafter');
    expect(new Set(recording.announced.filter(({ stream }) => stream === 'stdout').map(({ time }) => time)).size).toBe(
      1,
    );
  });

  test('copies its input, because the reader’s buffer is reused', () => {
    const recording = startRecording();
    const buffer = Buffer.from('first');
    recording.recorder.output('a', buffer);
    buffer.write('xxxxx');
    recording.recorder.close();
    expect(recording.file('stdout').toString()).toBe('first');
  });

  test('writes unflushed bytes after a while by itself', async () => {
    const recorded = new Promise<void>((resolve) => {
      const recording = startRecording({ onRecorded: () => resolve() });
      recording.recorder.output('a', Buffer.from('x'));
    });
    await recorded;
  });

  test('returns checkpoints of the streams that grew, with the hash of all their bytes', () => {
    const recording = startRecording();
    const { recorder } = recording;
    const header = recording.file('pty');
    expect(recorder.checkpoint().map(({ stream, bytes: length }) => [stream, length])).toEqual([
      ['stdin', 0],
      ['stdout', 0],
      ['stderr', 0],
      ['pty', header.length],
    ]);
    expect(recorder.checkpoint()).toEqual([]);
    record(recording, [output('a', 'one')]);
    expect(recorder.checkpoint()).toEqual([
      { stream: 'stdout', bytes: 3, sha256: sha256(Buffer.from('one')) },
      { stream: 'pty', bytes: header.length + 3, sha256: sha256(Buffer.concat([header, Buffer.from('one')])) },
    ]);
    record(recording, [output('input', 'typed'), output('a', 'two')]);
    expect(recorder.checkpoint()).toEqual([
      { stream: 'stdin', bytes: 5, sha256: sha256(Buffer.from('typed')) },
      { stream: 'stdout', bytes: 6, sha256: sha256(Buffer.from('onetwo')) },
      { stream: 'pty', bytes: header.length + 6, sha256: sha256(Buffer.concat([header, Buffer.from('onetwo')])) },
    ]);
    recorder.close();
    expect(sha256(recording.file('pty'))).toBe(sha256(Buffer.concat([header, Buffer.from('onetwo')])));
  });

  test('never overwrites an existing file, and closes its files if there is one', () => {
    const root = temporaryFolder();
    for (const name of ['stdin', 'stdout', 'stderr', 'pty', 'timing', 'chunks'] as const) {
      const blocked = path.join(root, name);
      fs.mkdirSync(blocked);
      const first = startRecording({ auditFolder: blocked });
      record(first, [output('a', 'kept'), output('b', 'kept'), output('input', 'kept')]);
      first.recorder.close();
      const files = fs.readdirSync(blocked);
      const own = path.basename(first.pathOf(name));
      for (const other of files) if (other !== own) fs.rmSync(path.join(blocked, other));
      const before = fs.readFileSync(path.join(blocked, own));
      const open = fs.readdirSync('/proc/self/fd').length;
      expect(() => startRecording({ auditFolder: blocked })).toThrow(
        expect.objectContaining({ code: 'RECORDING_FAILED' }),
      );
      expect(fs.readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(open);
      expect(fs.readFileSync(path.join(blocked, own))).toEqual(before);
    }
  });

  test('makes its files readable only by the user', () => {
    const recording = startRecording();
    recording.recorder.close();
    for (const name of fs.readdirSync(recording.folder.audit)) {
      expect(fs.statSync(path.join(recording.folder.audit, name)).mode & 0o777).toBe(0o600);
    }
  });

  test('leaves out the playback files at level minimal', () => {
    const recording = startRecording({ level: 'minimal' });
    record(recording, [output('a', 'x'), { kind: 'resize', cols: 1, rows: 1, wait: 1 }]);
    recording.recorder.close();
    expect(fs.readdirSync(recording.folder.audit).sort()).toEqual([
      'chunks.1.idx',
      'stderr.1.log',
      'stdin.1.log',
      'stdout.1.log',
    ]);
    expect(recording.recorder.size('pty')).toBeNull();
    expect(recording.announced).toHaveLength(1);
  });
});

describe('a disk that fills up', () => {
  test('is reported once, the lost bytes are counted, and the kept ones are correct', () => {
    const recording = startRecording({}, smallDisk('256k'));
    const { recorder } = recording;
    const piece = Buffer.alloc(10_000, 'x');
    let given = 0;
    for (; recording.failures.length === 0 && given < 100; given++) {
      recorder.output('a', piece);
      recorder.flush();
    }
    expect(recording.failures).toMatchObject([{ code: 'DISK_FULL' }]);
    recorder.output('b', Buffer.from('later'));
    recorder.input(Buffer.from('typed'));
    recorder.resize(10, 10);
    recorder.flush();
    recorder.close();
    expect(recording.failures).toHaveLength(1);
    const announced = recording.announced.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    expect(announced + recorder.unrecordedBytes).toBe(given * piece.length + 'latertyped'.length);
    expect(recorder.size('stdout')).toBeGreaterThanOrEqual(announced);
    expect(recording.file('stdout').subarray(0, announced).equals(Buffer.alloc(announced, 'x'))).toBe(true);
  });

  test('in the middle of a large piece counts all lost bytes', () => {
    const recording = startRecording({}, smallDisk('256k'));
    recording.recorder.output('a', Buffer.alloc(2_000_000, 'x'));
    recording.recorder.close();
    expect(recording.failures).toHaveLength(1);
    const announced = recording.announced.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    expect(announced + recording.recorder.unrecordedBytes).toBe(2_000_000);
  });

  test('has checkpoints that match its files', () => {
    const recording = startRecording({}, smallDisk('256k'));
    for (let round = 0; recording.failures.length === 0 && round < 100; round++) {
      recording.recorder.output('a', Buffer.alloc(7777, `${round}`));
      recording.recorder.flush();
    }
    for (const { stream, bytes: length, sha256: hash } of recording.recorder.checkpoint()) {
      expect(sha256(recording.file(stream).subarray(0, length)), stream).toBe(hash);
    }
  });
});
