import { describe, expect, test } from 'vitest';
import type { TerminalView } from '../../src/protocol/index.ts';
import { PLAIN } from '../../studio/model/bytes/sgr.ts';
import { logPieces } from '../../studio/model/terminals/log-pieces.ts';
import { type TerminalForm, terminalRequest } from '../../studio/model/terminals/new-terminal.ts';
import { MAX_LINES, OutputLog } from '../../studio/model/terminals/output-log.ts';
import {
  folderName,
  lastWorkspace,
  sortTerminals,
  targetOfTerminal,
  terminalHas,
  titleOfTerminal,
} from '../../studio/model/terminals/terminal-facts.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function terminal(change: Partial<TerminalView> = {}): TerminalView {
  return {
    terminal_id: `1.${change.session_id ?? 's-1'}`,
    workspace: '/home/you/project',
    session_id: 's-1',
    kind: 'pty',
    name: null,
    state: 'running',
    pid: 1,
    argv: ['make', 'all'],
    cwd: '/home/you/project',
    env_names: [],
    limits: {},
    sandbox: null,
    cols: 80,
    rows: 24,
    split: false,
    attached: 0,
    created_at: '2026-01-01T00:00:00.000Z',
    active_at: '2026-01-01T00:00:00.000Z',
    exec_id: null,
    recording: null,
    exited: false,
    closed: false,
    end: null,
    streams: {},
    ...change,
  };
}

describe('the list of terminals', () => {
  test('the title of a session is its name or its program, but not the command line of a shell', () => {
    expect(titleOfTerminal(terminal({ name: 'build' }))).toBe('build');
    expect(titleOfTerminal(terminal())).toBe('make all');
    expect(titleOfTerminal(terminal({ kind: 'shell', argv: ['bash', '--norc', '/dev/fd/3'] }))).toBe('bash');
    expect(titleOfTerminal(terminal({ name: 'a\u202eb' }))).toBe('a⟨U+202E⟩b');
    expect(titleOfTerminal(terminal({ argv: [] }))).toBe('pty');
  });

  test('the target comes from the session id', () => {
    expect(targetOfTerminal({ session_id: 's-3f2a' })).toBeNull();
    expect(targetOfTerminal({ session_id: 'ssh:build-1:s-3f2a' })).toBe('ssh:build-1');
    expect(targetOfTerminal({ session_id: 'container:box.1:s-3f2a' })).toBe('container:box.1');
  });

  test('live terminals come first, each part in the order of opening, so that new ones are appended', () => {
    const at = (second: number) => ({ created_at: `2026-01-01T00:00:0${second}.000Z` });
    const list = [
      terminal({ session_id: 'old-ended', state: 'terminated', ...at(1) }),
      terminal({ session_id: 'new', ...at(4) }),
      terminal({ session_id: 'old', state: 'idle', ...at(2) }),
      terminal({ session_id: 'new-ended', state: 'terminated', ...at(3) }),
    ];
    expect(sortTerminals(list).map(({ session_id }) => session_id)).toEqual(['old', 'new', 'old-ended', 'new-ended']);
  });

  test('a filter requires all of its words, in any field', () => {
    const build = terminal({ name: 'Build' });
    expect(terminalHas(build, 'build project')).toBe(true);
    expect(terminalHas(build, 'build elsewhere')).toBe(false);
    expect(terminalHas(build, 'pty')).toBe(true);
    expect(terminalHas(build, '')).toBe(true);
  });

  test('a new terminal starts in the last used folder', () => {
    const other = terminal({ workspace: '/other', active_at: '2026-01-02T00:00:00.000Z' });
    expect(lastWorkspace([terminal(), other])).toBe('/other');
    expect(lastWorkspace([])).toBe('');
    expect(folderName('/home/you/project/')).toBe('project');
    expect(folderName('/')).toBe('/');
  });
});

describe('the form of a new terminal', () => {
  const form: TerminalForm = {
    workspace: ' /work ',
    kind: 'pty',
    name: ' ',
    program: 'make "all of it"',
    record: true,
  };

  test('leaves out empty fields, and splits the program into arguments', () => {
    expect(terminalRequest(form)).toEqual({
      terminal: { workspace: '/work', kind: 'pty', record: true, argv: ['make', 'all of it'] },
    });
    expect(terminalRequest({ ...form, name: 'build', program: '' })).toEqual({
      terminal: { workspace: '/work', kind: 'pty', record: true, name: 'build' },
    });
  });

  test('ignores the program for a shell', () => {
    expect(terminalRequest({ ...form, kind: 'shell', program: 'make "' })).toEqual({
      terminal: { workspace: '/work', kind: 'shell', record: true },
    });
  });

  test('reports errors', () => {
    expect(terminalRequest({ ...form, workspace: 'project', program: "make '" })).toEqual({
      mistakes: { workspace: 'notAbsolute', program: 'unclosed' },
    });
  });
});

describe('the log of a session', () => {
  const shown = (log: OutputLog) => log.lines().map(({ kind, bytes }) => `${kind}: ${new TextDecoder().decode(bytes)}`);

  test('a line that arrives in pieces is one line, and two streams do not split each other’s lines', () => {
    const log = new OutputLog();
    log.add('stdout', bytes('one\ntw'));
    log.add('stderr', bytes('oops\nno'));
    log.add('stdout', bytes('o\nthree'));
    log.note('command', 'make');
    log.add('stderr', bytes('pe\n\n'));
    expect(shown(log)).toEqual([
      'stdout: one',
      'stdout: two',
      'stderr: oops',
      'stderr: nope',
      'stdout: three',
      'command: make',
      'stderr: ',
    ]);
  });

  test('a growing line is a new object, and the others stay the same', () => {
    const log = new OutputLog();
    log.add('stdout', bytes('one\ntw'));
    const before = log.lines();
    log.add('stdout', bytes('o'));
    expect(log.lines()[0]).toBe(before[0]);
    expect(log.lines()[1]).not.toBe(before[1]);
    expect(log.lines()[1]!.id).toBe(before[1]!.id);
  });

  test('keeps the last lines; text after a dropped line starts a new one', () => {
    const log = new OutputLog();
    log.add('stderr', bytes('open '));
    log.add('stdout', bytes('line\n'.repeat(3 * MAX_LINES)));
    expect(log.lines()).toHaveLength(MAX_LINES);
    log.add('stderr', bytes('again\n'));
    expect(shown(log).at(-1)).toBe('stderr: again');
  });

  test('an endless line is split between characters', () => {
    const log = new OutputLog();
    log.add('stdout', bytes(`${'x'.repeat(4095)}é${'y'.repeat(5000)}`));
    const lines = log.lines().map(({ bytes }) => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    expect(lines.join('')).toBe(`${'x'.repeat(4095)}é${'y'.repeat(5000)}`);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(4096);
  });

  test('is empty after it was cleared, and continues', () => {
    const log = new OutputLog();
    log.add('stdout', bytes('half'));
    log.clear();
    log.add('stdout', bytes('new\n'));
    expect(shown(log)).toEqual(['stdout: new']);
  });
});

describe('a line of the log', () => {
  const shown = (text: string) => logPieces(bytes(text)).map(({ shown }) => shown);

  test('has its colours, and other sequences are shown instead of executed', () => {
    expect(logPieces(bytes('\x1b[31mred\x1b[0m plain'))).toEqual([
      { kind: 'text', shown: 'red', style: { ...PLAIN, colour: 'red' } },
      { kind: 'text', shown: ' plain', style: PLAIN },
    ]);
    expect(shown('a\x1b[2Jb\x1b]0;title\x07')).toEqual(['a', '␛[2J', 'b', '␛', ']0;title', '␇']);
    expect(shown('a\u202eb')).toEqual(['a', '⟨U+202E⟩', 'b']);
  });

  test('tabs are kept, and text after a carriage return replaces the text before it', () => {
    expect(shown('a\tb')).toEqual(['a', '\t', 'b']);
    expect(shown('10 %\r20 %\r30 %')).toEqual(['30 %']);
    expect(shown('done\r')).toEqual(['done']);
    expect(shown('\r')).toEqual([]);
    expect(shown('')).toEqual([]);
  });
});
