import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TracedWrite } from '../../../src/protocol/index.ts';
import { createAttribution } from '../../../src/recording/trace/attribution.ts';
import { proofSize } from '../../support/proof-size.ts';
import { DEVICES, type Simulation, simulate } from './simulated-kernel.ts';

/** Reads the trace while the recording follows `lags` bytes behind. */
function attribute({ steps, content }: Simulation, lags: number[]) {
  const writes: TracedWrite[] = [];
  let recorded = { stdout: 0, stderr: 0 };
  const attribution = createAttribution({
    ...DEVICES,
    peek(stream, offset, length) {
      const known = content[stream].subarray(offset, Math.min(offset + length, recorded[stream]));
      return known.length > 0 ? known : null;
    },
    onWrite: (write) => writes.push(write),
  });
  steps.forEach(({ line, written }, index) => {
    const lag = lags[index % Math.max(lags.length, 1)] ?? 0;
    recorded = {
      stdout: Math.max(recorded.stdout, written.stdout - lag),
      stderr: Math.max(recorded.stderr, written.stderr - lag),
    };
    attribution.push(Buffer.from(`${line}\n`));
  });
  recorded = { stdout: content.stdout.length, stderr: content.stderr.length };
  attribution.end();
  return { writes, summary: attribution.summary(recorded.stdout + recorded.stderr) };
}

function ofStream(
  writes: readonly { pid: number; stream: string; byte_from: number; byte_to: number }[],
  stream: string,
) {
  return writes
    .filter((write) => write.stream === stream)
    .map(({ pid, byte_from, byte_to }) => ({ pid, byte_from, byte_to }));
}

const schedules = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 150 });
const lags = fc.array(fc.nat(120), { maxLength: 7 });

describe('the order of writes', () => {
  test('is the kernel’s wherever the bytes show it, whenever they are recorded', () => {
    fc.assert(
      fc.property(schedules, lags, (choices, behind) => {
        const simulation = simulate(choices, { sampleBytes: 16, texts: ['w'] });
        const { writes, summary } = attribute(simulation, behind);
        for (const stream of ['stdout', 'stderr']) {
          expect(ofStream(writes, stream)).toEqual(ofStream(simulation.writes, stream));
        }
        expect(summary).toMatchObject({ coverage: 1, diagnostics: [], writes: simulation.writes.length });
      }),
      { numRuns: proofSize({ small: 100, full: 300 }) },
    );
  });

  test('is decided by later bytes if writes begin alike', () => {
    fc.assert(
      fc.property(schedules, lags, (choices, behind) => {
        // The tracer shows two bytes, which are the same for most writes.
        const simulation = simulate(choices, { sampleBytes: 2, texts: ['same', 'sane', 'x'] });
        const { writes, summary } = attribute(simulation, behind);
        expect(summary).toMatchObject({ coverage: 1, writes: simulation.writes.length });
        for (const stream of ['stdout', 'stderr']) {
          const own = ofStream(writes, stream);
          expect(own.map(({ byte_from }) => byte_from)).toEqual(
            [0, ...own.map(({ byte_to }) => byte_to)].slice(0, own.length),
          );
        }
      }),
      { numRuns: proofSize({ small: 35, full: 100 }) },
    );
  });

  test('never puts a write before one that ended before its start', () => {
    fc.assert(
      fc.property(schedules, lags, (choices, behind) => {
        const simulation = simulate(choices, { sampleBytes: 16, texts: ['w'] });
        const { writes } = attribute(simulation, behind);
        const place = new Map(writes.map((write, index) => [`${write.stream}${write.byte_from}`, index]));
        // A process has one write at a time: its writes keep their order over both streams.
        const last = new Map<number, number>();
        for (const { pid, stream, byte_from } of simulation.writes) {
          const index = place.get(`${stream}${byte_from}`) ?? -1;
          expect(index).toBeGreaterThan(last.get(pid) ?? -1);
          last.set(pid, index);
        }
      }),
      { numRuns: proofSize({ small: 35, full: 100 }) },
    );
  });
});

const A = `1<${DEVICES.stdout}<char 136:3>>`;
const B = `2<${DEVICES.stderr}<char 136:4>>`;

function attributeLines(lines: string[], recorded: { stdout: string; stderr: string } | null) {
  const writes: string[] = [];
  const attribution = createAttribution({
    ...DEVICES,
    ...(recorded && {
      peek: (stream, offset, length) => Buffer.from(recorded[stream]).subarray(offset, offset + length),
    }),
    onWrite: ({ pid, stream, byte_from, byte_to }) => writes.push(`${pid} ${stream} ${byte_from}-${byte_to}`),
  });
  attribution.push(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  const live = [...writes];
  attribution.end();
  return { writes, live, diagnostics: attribution.summary(1).diagnostics.map((text) => text.split(/[ :]/, 1)[0]) };
}

describe('special writes', () => {
  const overlapping = [
    `1 write(${A}, "one", 3 <unfinished ...>`,
    `2 write(${A}, "two", 3 <unfinished ...>`,
    '1 <... write resumed>) = 3',
    '2 <... write resumed>) = 3',
  ];

  test('are ordered by their bytes, not by the tracer', () => {
    expect(attributeLines(overlapping, { stdout: 'twoone', stderr: '' }).writes).toEqual([
      '2 stdout 0-3',
      '1 stdout 3-6',
    ]);
  });

  test('are ordered by the tracer if there is no recording', () => {
    expect(attributeLines(overlapping, null).writes).toEqual(['1 stdout 0-3', '2 stdout 3-6']);
  });

  test('that failed or are restarted do not count', () => {
    const lines = [
      `1 write(${A}, "one", 3) = -1 EAGAIN (Resource temporarily unavailable)`,
      `1 write(${A}, "one", 3) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)`,
      `1 write(${A}, "one", 3) = 2`,
    ];
    expect(attributeLines(lines, { stdout: 'on', stderr: '' })).toEqual({
      writes: ['1 stdout 0-2'],
      live: ['1 stdout 0-2'],
      diagnostics: [],
    });
  });

  test('of a killed process end where the next write begins', () => {
    const lines = [
      `1 write(${A}, "yyyyyyyy"..., 4096) = ?`,
      '1 +++ killed by SIGKILL +++',
      `2 write(${B}, "other", 5) = 5`,
      `2 write(${A}, "done", 4) = 4`,
    ];
    expect(attributeLines(lines, { stdout: `${'y'.repeat(20)}done`, stderr: 'other' })).toEqual({
      writes: ['2 stderr 0-5', '1 stdout 0-20', '2 stdout 20-24'],
      live: ['2 stderr 0-5', '1 stdout 0-20', '2 stdout 20-24'],
      diagnostics: ['WRITE_CUT_BY_DEATH'],
    });
  });

  test('of several killed processes follow each other', () => {
    const lines = [
      `1 write(${A}, "aaaa", 4 <unfinished ...>`,
      `2 write(${A}, "bbbb", 4 <unfinished ...>`,
      `3 write(${A}, "cccc", 4 <unfinished ...>`,
      '1 <... write resumed>) = ?',
      '2 <... write resumed>) = ? <unavailable>',
      '3 +++ killed by SIGKILL +++',
      `4 write(${A}, "done", 4) = 4`,
    ];
    expect(attributeLines(lines, { stdout: 'bbbbaaaadone', stderr: '' })).toMatchObject({
      writes: ['2 stdout 0-4', '1 stdout 4-8', '4 stdout 8-12'],
      diagnostics: ['WRITE_CUT_BY_DEATH', 'WRITE_CUT_BY_DEATH'],
    });
    expect(attributeLines(lines.slice(0, 6), { stdout: 'bbbbaa', stderr: '' }).writes).toEqual([
      '2 stdout 0-4',
      '1 stdout 4-6',
    ]);
  });

  test('of a killed process that wrote nothing are left out', () => {
    const lines = [`1 write(${A}, "yyyy", 4) = ?`, '1 +++ killed by SIGKILL +++', `2 write(${A}, "done", 4) = 4`];
    expect(attributeLines(lines, { stdout: 'done', stderr: '' }).writes).toEqual(['2 stdout 0-4']);
  });

  test('of a killed process get the rest of the recording at the end', () => {
    const lines = [`2 write(${A}, "first", 5) = 5`, `1 write(${A}, "yyyy"..., 400) = ?`, '1 +++ killed by SIGKILL +++'];
    expect(attributeLines(lines, { stdout: 'firstyyyyyy', stderr: '' }).writes).toEqual([
      '2 stdout 0-5',
      '1 stdout 5-11',
    ]);
  });

  test('are found after untraced bytes', () => {
    const lines = [`1 write(${A}, "prompt", 6) = 6`, `1 write(${A}, "answer", 6) = 6`];
    expect(attributeLines(lines, { stdout: 'promptTYPED\r\nanswer', stderr: '' })).toEqual({
      writes: ['1 stdout 0-6', '1 stdout 13-19'],
      live: ['1 stdout 0-6', '1 stdout 13-19'],
      diagnostics: ['BYTES_UNTRACED'],
    });
  });

  test('are placed with a diagnostic if the recording contradicts all of them', () => {
    const { writes, diagnostics } = attributeLines(overlapping, { stdout: '######', stderr: '' });
    expect(writes).toEqual(['1 stdout 0-3', '2 stdout 3-6']);
    expect(diagnostics).toContain('PLACE_UNCERTAIN');
  });

  test('are placed one after the other if the terminal changed every line ending', () => {
    const lines = Array.from(
      { length: 500 },
      (_, line) => `1 write(${A}, "line ${line}\\n", ${`line ${line}`.length + 1}) = ${`line ${line}`.length + 1}`,
    );
    const stdout = Array.from({ length: 500 }, (_, line) => `line ${line}\r\n`).join('');
    const { writes, diagnostics } = attributeLines(lines, { stdout, stderr: '' });
    expect(writes).toHaveLength(500);
    expect(writes.slice(0, 2)).toEqual(['1 stdout 0-7', '1 stdout 7-14']);
    expect(new Set(diagnostics)).toEqual(new Set(['PLACE_UNCERTAIN']));
  });

  test('do not wait indefinitely for a missing recording', () => {
    const writes: TracedWrite[] = [];
    const attribution = createAttribution({ ...DEVICES, peek: () => null, onWrite: (write) => writes.push(write) });
    const rounds = Array.from({ length: 7000 }, () => `${overlapping.join('\n')}\n`).join('');
    attribution.push(Buffer.from(rounds));
    expect(writes.length).toBeGreaterThan(3000);
    attribution.end();
    expect(writes.length).toBe(14_000);
  });
});
