import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QueryFilter } from '../../../src/terminal/safe-output/query-filter.ts';
import { proofSize } from '../../support/proof-size.ts';

const E = '\u001b';
const ST = `${E}\\`;

/** Each makes a terminal answer. */
const QUERIES = [
  '\u0005',
  `${E}Z`,
  ...['c', '0c', '>c', '>0c', '=c', '5n', '6n', '?6n', '?15n', '?996n', 'x', '1x', '20$p', '?2026$p'].map(csi),
  ...['11t', '13t', '13;2t', '14t', '14;2t', '15t', '16t', '18t', '19t', '20t', '21t'].map(csi),
  ...['>q', '>0q', '?u', '?1;1;0S', '?4m', '?4g', '1$u', '2$u', '3&u', ',u', '1$w', '2$w', '1;1;1;1;2;2*y'].map(csi),
  ...['1#R', '#|', "'|", '1;2"v', '1+x', '?2048h'].map(csi),
  ...['$qm', '$qr', '+q544e', '+Qx', 'tmux;x'].map((body) => `${E}P${body}${ST}`),
  ...[
    '4;1;?',
    '4;1;?;2;?',
    '4;1;rgb:1/2/3;2;?',
    '5;0;?',
    '10;?',
    '11;?',
    '012;?',
    '19;?',
    '50;?',
    '52;c;?',
    '52;;?',
  ].map(osc),
  ...['176;?', '21;foreground=?', '22;?__current__', '60', '61', '99;i=1:p=?;', '1337;ReportCellSize'].map(osc),
  ...['1337;ReportVariable=x', '1337;Capabilities', '1337;RequestUpload=format=tgz', '5522;type=read;x'].map(osc),
  `${E}]10;?\u0007`,
  `${E}_Ga=q,i=31;AAAA${ST}`,
  `${E}_Gi=31,a=q${ST}`,
];

/** Each resembles a query but is not one. */
const HARMLESS = [
  'plain text, 中文 and 佛 \u00e9\r\n',
  ...[
    'm',
    '1;31m',
    '>4;2m',
    '?25h',
    '?25l',
    '?1049h',
    '2J',
    'H',
    '10;20H',
    '?5c',
    '>1n',
    '22;0t',
    '23;0t',
    '8;24;80t',
  ].map(csi),
  ...[
    '3;0;0t',
    '!p',
    '1"p',
    '2 q',
    '1"q',
    '>1u',
    '<u',
    '=1;1u',
    's',
    'u',
    '3S',
    '3g',
    '1$x',
    '2*x',
    '?2004h',
    '2048h',
  ].map(csi),
  ...['0;title', '0;?', '2;what?', '1;?', '8;;http://localhost/?a', '7;file://host/', '133;A', '4;1;rgb:1/2/3'].map(
    osc,
  ),
  ...['10;#fff', '11;rgb:0/0/0', '52;c;aGVsbG8=', '104', '110', '9;done?', '777;notify;a;b', '1337;SetMark'].map(osc),
  ...['1337;File=inline=1:AAAA', '99;i=1;hello', 'Ltitle'].map(osc),
  `${E}P0;1;0q#0;2;0;0;0#0~~${ST}`,
  `${E}P1$r0m${ST}`,
  `${E}7${E}8${E}(B${E}=${E}>${E}c${E}#8${E} F`,
  `${E}^private${ST}${E}Xstring${ST}${E}_other${ST}`,
];

function csi(rest: string): string {
  return `${E}[${rest}`;
}

function osc(rest: string): string {
  return `${E}]${rest}${ST}`;
}

function filtered(text: string | Buffer, pieceBytes = Number.POSITIVE_INFINITY): Buffer {
  const filter = new QueryFilter();
  const bytes = Buffer.from(text);
  const passed: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    passed.push(Buffer.from(filter.write(bytes.subarray(at, Math.min(at + pieceBytes, bytes.length)))));
  }
  passed.push(filter.end());
  return Buffer.concat(passed);
}

async function answersOf(bytes: Uint8Array): Promise<string> {
  const terminal = new Terminal({
    allowProposedApi: true,
    windowOptions: { getWinSizeChars: true, getWinSizePixels: true },
  });
  let answers = '';
  terminal.onData((data) => {
    answers += data;
  });
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  terminal.dispose();
  return answers;
}

describe('output for a viewer’s terminal', () => {
  it.each([1, 2, 3, 1_000])('contains no query, in pieces of %i bytes', (pieceBytes) => {
    for (const query of QUERIES) {
      expect(filtered(`a${query}b`, pieceBytes).toString(), JSON.stringify(query)).toBe('ab');
    }
  });

  it.each([1, 2, 3, 1_000])('is otherwise unchanged, in pieces of %i bytes', (pieceBytes) => {
    for (const text of HARMLESS)
      expect(filtered(`a${text}b`, pieceBytes).toString(), JSON.stringify(text)).toBe(`a${text}b`);
  });

  it('drops queries that begin with a C1 control, as a byte or as a character', () => {
    for (const control of [
      '\u009bc',
      '\u009b6n',
      '\u009a',
      '\u009d10;?\u009c',
      '\u0090$qm\u009c',
      '\u009fGa=q;A\u009c',
    ]) {
      expect(filtered(`a${control}b`).toString(), 'as a character').toBe('ab');
      expect(filtered(Buffer.from(`a${control}b`, 'latin1')).toString(), 'as a byte').toBe('ab');
    }
  });

  it('leaves no partial sequence that becomes a query once another one is dropped', async () => {
    const halves = [
      `${E}${E}[c[c`,
      `${E}[6${E}[cn`,
      `${E}[6\u0018${E}[cn`,
      `${E}]1${E}[c0;?\u0007`,
      `${E}]52;c;${E}[c?\u0007`,
      `${E}]0;t${E}[c\u001b]10;?${ST}`,
      `${E}]0;t\u009bc${ST}`,
      `${E}]4;1;\u009c${E}[c;?\u0007`,
      `${E}P${E}[c$qm${ST}`,
      `${E}Ptmux;${E}${E}[6n${ST}[c`,
      `${E}_${E}[cGa=q;A${ST}`,
    ];
    for (const text of halves) {
      const passed = filtered(text);
      expect(filtered(passed), JSON.stringify(text)).toEqual(passed);
      expect(await answersOf(passed), JSON.stringify(text)).toBe('');
    }
    expect(filtered(`a${E}[1\n${E}[cb`).toString(), 'control characters are kept').toBe('a\nb');
    expect(filtered(`${E}]0;t\u009cb`).toString(), 'a terminator for every terminal').toBe(`${E}]0;t${ST}b`);
  });

  it('drops queries that contain control characters', () => {
    expect(filtered(`a${E}\n[\r6\u0005n${E}\tZb`).toString()).toBe('ab');
    expect(filtered(`a${E}[1\u0005mb`).toString()).toBe(`a${E}[1mb`);
  });

  it('suppresses the answers to pictures and keeps their data', () => {
    const data = 'A'.repeat(200_000);
    const picture = `${E}_Ga=T,f=100,q=1;${data}${ST}!`;
    for (const pieceBytes of [7_000, 1_000_000]) {
      expect(filtered(picture, pieceBytes).toString()).toBe(`${E}_Ga=T,f=100,q=2;${data}${ST}!`);
    }
  });

  it('removes one mode of several', () => {
    expect(filtered(csi('?25;2048;1049h')).toString()).toBe(csi('?25;1049h'));
  });

  it('passes megabytes through at once, and buffers little', () => {
    const filter = new QueryFilter();
    filter.write(Buffer.from(`${E}]52;c;`));
    for (let piece = 0; piece < 50; piece++)
      expect(filter.write(Buffer.alloc(65_536, 'A')).length).toBeGreaterThan(65_000);
    expect(Buffer.from(filter.write(Buffer.from('\u0007.'))).toString()).toBe('\u0007.');
  });

  it('drops a colour query of any length', () => {
    expect(filtered(`a${E}]4;1;${'rgb:1/2/3;2;'.repeat(20_000)}?${ST}b`, 5_000).toString()).toBe('ab');
  });

  it('does not swallow later output', async () => {
    for (const unfinished of [csi(''), `${E}]10;`, `${E}]0;title`, `${E}Pq#0`, `${E}_Ga=T;AAAA`, E, `${E}(`]) {
      const terminal = new Terminal({ allowProposedApi: true });
      await new Promise<void>((resolve) => terminal.write(filtered(`done${unfinished}`), resolve));
      await new Promise<void>((resolve) => terminal.write('$ prompt', resolve));
      expect(terminal.buffer.active.getLine(0)!.translateToString(true), JSON.stringify(unfinished)).toBe(
        'done$ prompt',
      );
      terminal.dispose();
    }
  });

  it('does not depend on chunk boundaries', () => {
    const parts = fc.array(
      fc.oneof(
        fc.constantFrom(...QUERIES, ...HARMLESS, E, '\u0018', '\u001a', '\u0007', '\u009b', ST),
        fc.string({ unit: 'binary' }),
      ),
    );
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 9 }), (list, pieceBytes) => {
        expect(filtered(list.join(''), pieceBytes).toString('hex')).toBe(filtered(list.join('')).toString('hex'));
      }),
    );
  });

  it('gives a terminal nothing to answer', async () => {
    expect(await answersOf(Buffer.from(QUERIES.join('')))).not.toBe('');
    const bits = fc.constantFrom(
      ...QUERIES,
      ...HARMLESS,
      E,
      '[',
      ']',
      'c',
      '6n',
      '>',
      '?',
      ';',
      '\n',
      '\u0018',
      '\u009b',
      '\u009c',
      'P',
      '\\',
      '10;',
      '52;c;',
      '$q',
      '\u0007',
    );
    const short = fc.constantFrom(
      E,
      `${E}[`,
      `${E}]`,
      `${E}P`,
      '6',
      'n',
      'c',
      '?',
      '10;',
      '\u0007',
      '\u009b',
      csi('c'),
    );
    const texts = fc.oneof(fc.array(bits, { maxLength: 40 }), fc.array(short, { maxLength: 8 }));
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        const passed = filtered(list.join(''));
        expect(filtered(passed), 'nothing is left to be dropped').toEqual(passed);
        expect(await answersOf(passed)).toBe('');
      }),
      { numRuns: proofSize({ small: 200, full: 50_000 }) },
    );
  });
});
