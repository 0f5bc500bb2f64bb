import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Terminal } from '@xterm/headless';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { sharedDaemon } from '../../acceptance/runtime/daemon.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, removeFolder, tachoCommand } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { type RunningTerminal, startTerminal } from '../../terminal/run-terminal.ts';

/**
 * Queries the terminal's type, the cursor position and a colour, also wrapped, split and with C1 controls; enables the
 * mouse and bracketed paste.
 */
const QUERIES =
  '\u001b[c\u001b[6n\u001b]11;?\u0007\u001b[>q\u0005\u009bc\u009b6n\u001b\u001b[c[c\u001b]52;c;\u001b[c?\u0007\u001bPtmux;\u001b\u001b[6n\u001b\\';
const HOSTILE = `before ${QUERIES}\u001b[?1000h\u001b[?2004h after\n`;
const RESTORED_MODES = /\u001b\[\?(?:1000l\u001b\[\?2004|2004l\u001b\[\?1000)l/;
/** Prints it, waits for a line, prints it again, and reports the answers. */
const LIVE = `const ask = () => process.stdout.write(${JSON.stringify(HOSTILE)});
ask(); process.stdin.setRawMode?.(true);
process.stdin.on('data', (keys) => {
  const text = keys.toString('latin1');
  if (text.includes('again')) ask();
  if (text.includes('end')) process.exit(0);
  if (/\\x1b\\[\\?[\\d;]+c/.test(text)) process.stdout.write('got the answer\\n');
});`;

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-test-'));
afterAll(() => removeFolder(home));
const daemon = sharedDaemon();
const env = { ...process.env, TACHO_HOME: home, NO_COLOR: '1' } as Record<string, string>;

interface Viewed extends RunningTerminal {
  /** Bytes that the viewer's terminal sent without a key press. */
  answers(): Promise<string>;
}

/** A command on a real terminal, viewed with xterm.js, which answers queries. */
function view(words: readonly string[]): Viewed {
  const viewer = new Terminal({ allowProposedApi: true, windowOptions: { getWinSizeChars: true } });
  let answers = '';
  const running = startTerminal([process.execPath, tachoCommand, ...words], {
    mode: 'merged',
    cwd: home,
    env: { ...env, TERM: 'xterm-256color' },
    onOutput: (_, bytes) => viewer.write(Uint8Array.from(bytes)),
  });
  viewer.onData((data) => {
    answers += data;
    void running.terminal.write(Buffer.from(data)).catch(() => {});
  });
  onTestFinished(async () => {
    await running.terminal.kill(0);
    await running.terminal.ended;
    viewer.dispose();
  });
  const settled = () => new Promise<string>((resolve) => viewer.write('', () => resolve(answers)));
  return { ...running, answers: settled };
}

function piped(words: readonly string[]) {
  return finished(
    spawn(process.execPath, [tachoCommand, ...words], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

const here = (words: readonly string[]) => tachoHere(words, { cwd: home, env, input: '' });

/** Recorded once for all tests. */
const recorded = (async () => {
  const argv = ['node', '-e', `process.stdout.write(${JSON.stringify(HOSTILE)})`, QUERIES];
  const { code, stderr } = await here(['run', '--scratch', '--', ...argv]);
  expect(code, stderr).toBe(0);
  const [runId] = fs.readdirSync(path.join(home, 'runs'));
  const audit = path.join(home, 'runs', runId!, '.audit');
  // A file name that `verify` prints.
  const copy = path.join(home, 'copy');
  fs.cpSync(path.dirname(audit), copy, { recursive: true });
  fs.writeFileSync(path.join(copy, '.audit', `${QUERIES}.log`.replaceAll('/', '_')), 'unlisted');
  return { runId: runId!, exact: fs.readFileSync(path.join(audit, 'stdout.1.log')), copy };
})();

describe('a terminal that shows a recording', () => {
  it('answers nothing for any command, and its modes are restored', async () => {
    const { runId, copy } = await recorded;
    const showing = [
      ['replay', runId],
      ['raw', runId],
      ['raw', runId, '--stream', 'pty'],
    ];
    // At least one of each command, each output format, and each error.
    const telling = [
      ['events', runId],
      ['show', runId, '--chat'],
      ['runs', '--json'],
      ['export', runId, '--format', 'txt'],
      ['verify', copy],
      ['show', `${QUERIES}`],
    ];
    const alike = [
      ['show', runId],
      ['show', runId, '--json'],
      ['show', runId, '--chat', '--json'],
      ['runs'],
      ['export', runId, '--format', 'asciicast'],
      ['export', runId, '--format', 'svg'],
      ['verify', copy, '--json'],
    ];
    for (const words of [...showing, ...telling, ...proofSize({ small: [], full: alike })]) {
      const viewed = view(words);
      await viewed.terminal.ended;
      expect(await viewed.answers(), words.join(' ')).toBe('');
      expect(viewed.text().length, words.join(' ')).toBeGreaterThan(10);
      if (!showing.includes(words)) continue;
      expect(viewed.text(), words.join(' ')).toMatch(/before .* after/s);
      expect(viewed.text(), words.join(' ')).toMatch(RESTORED_MODES);
    }
  });

  it('answers nothing to JSON output, which is valid and has no C1 controls', async () => {
    const { runId } = await recorded;
    const viewed = view(['events', runId, '--json']);
    await viewed.terminal.ended;
    expect(await viewed.answers()).toBe('');
    expect(viewed.text()).not.toMatch(/[\u0080-\u009f]/);
    const shown = viewed
      .text()
      .trim()
      .split('\r\n')
      .map((line) => JSON.parse(line));
    const { stdout } = await here(['events', runId, '--json']);
    expect(shown).toEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  });

  it('leaves piped output exact', async () => {
    const { runId, exact } = await recorded;
    expect(exact.toString()).toBe(HOSTILE);
    for (const command of ['raw', 'replay']) expect((await piped([command, runId])).stdout, command).toBe(HOSTILE);
  });

  it('has its modes restored on a signal', async () => {
    await here(['run', '--scratch', '--', 'sh', '-c', "printf '\\033[?1049h\\033[?1003hshown'; sleep 1; printf later"]);
    for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
      const viewed = view(['replay', 'last', '--speed', '0.05']);
      await viewed.printed('shown');
      process.kill(viewed.terminal.pid, signal);
      const { exitCode } = await viewed.terminal.ended;
      expect(viewed.text(), signal).toMatch(/shown.*\u001b\[\?1003l\u001b\[\?1049l/s);
      expect(exitCode, signal).toBe(code);
    }
  });
});

describe('a terminal that shows a live program', () => {
  it('answers nothing at tacho attach; tacho answers the program', async () => {
    const run = spawn(process.execPath, [tachoCommand, 'run', '--scratch', '--', 'node', '-e', LIVE], {
      cwd: home,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = finished(run);
    const live = () => fs.existsSync(path.join(home, 'sock')) && fs.readdirSync(path.join(home, 'sock')).length > 0;
    await expect.poll(live, { timeout: 60_000 }).toBe(true);
    const looking = view(['attach', 'last', '--from-start', '--read-only']);
    await looking.printed('after');
    const attached = view(['attach', 'last', '--from-start']);
    await attached.printed('after');
    expect(attached.text()).not.toContain('got the answer');
    await attached.terminal.write(Buffer.from('again'));
    await attached.printed('got the answer');
    await looking.printed('got the answer');
    await attached.terminal.write(Buffer.from('end'));
    await Promise.all([attached.terminal.ended, looking.terminal.ended, ended]);
    for (const viewed of [attached, looking]) {
      expect(await viewed.answers()).toBe('');
      expect(viewed.text()).toMatch(RESTORED_MODES);
    }
  });

  it('answers nothing at tacho terminal attach, read and exec', async () => {
    const argv = ['node', '-e', LIVE];
    const { session_id } = await daemon.client().call('session.create', { kind: 'pty', argv });
    const at = ['--workspace', daemon.workspace];
    const reading = view(['terminal', 'read', session_id, '--follow', ...at]);
    await reading.printed('after');
    const attached = view(['terminal', 'attach', session_id, ...at]);
    await attached.printed('before');
    await attached.terminal.write(Buffer.from('again'));
    await attached.printed('got the answer');
    process.kill(reading.terminal.pid, 'SIGINT');
    expect((await reading.terminal.ended).signal).toBe('SIGINT');
    await attached.terminal.write(Buffer.from('end'));
    await attached.terminal.ended;
    const script = `process.stdout.write(${JSON.stringify(HOSTILE)})`;
    const executed = view(['terminal', 'exec', ...at, '--', 'node', '-e', script]);
    await executed.terminal.ended;
    for (const viewed of [reading, attached, executed]) {
      expect(await viewed.answers()).toBe('');
      expect(viewed.text()).toMatch(RESTORED_MODES);
    }
  });
});
