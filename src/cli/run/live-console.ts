import fs from 'node:fs';
import path from 'node:path';
import { AUDIT_FOLDER, attemptFileNames, type RawStream } from '../../protocol/index.ts';
import { ptyHeaderBytes } from '../../recording/index.ts';
import type { RunWatcher, TerminalControl } from '../../runs/index.ts';
import { writeLive } from '../output/guarded-terminal.ts';
import { releaseHungUpTerminal } from '../output/hung-up-terminal.ts';
import { paint } from '../output/paint.ts';
import { writeOut } from '../output/write-out.ts';
import { OwnTerminal } from '../terminal/own-terminal.ts';
import { FileFollower } from './file-follower.ts';
import type { Output } from './show-run.ts';

const LINE_FEED = 0x0a;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The user's side of a run: prints output as it is recorded, sends keys and sizes to the program, handles Ctrl-C. */
export class LiveConsole {
  /** A user is at the keyboard: keys go to the program unprocessed. */
  readonly interactive: boolean;
  readonly #keyboard: boolean;
  readonly #quiet: boolean;
  #followers = new Map<RawStream, FileFollower>();
  #control: TerminalControl | null = null;
  #place: { auditFolder: string; attempt: number } | null = null;
  #cancels = 0;
  #hasSignals = false;
  #cancelAttempt: () => void = () => {};
  #own: OwnTerminal | null = null;
  #undo: (() => void)[] = [];

  /** Without `keyboard`, no typed or piped input reaches the program: an unattended engine has no user. */
  constructor({ keyboard, quiet = false }: { keyboard: boolean; quiet?: boolean }) {
    this.#keyboard = keyboard;
    this.#quiet = quiet;
    this.interactive = keyboard && OwnTerminal.hasKeyboard();
  }

  /** The callbacks for `supervise`; prints the program's output to `output`. */
  watch({ merged, output }: { merged: boolean; output: Output | null }): RunWatcher {
    return {
      prepared: ({ runDir, attempt, cancel: cancelAttempt }) => {
        this.#cancelAttempt = cancelAttempt;
        this.#place = { auditFolder: path.join(runDir, AUDIT_FOLDER), attempt };
        this.#takeSignals();
        // The user ended the run between two of its attempts.
        if (this.#cancels > 0) cancelAttempt();
      },
      started: (control) => {
        this.#control = control;
        this.#cancelAttempt = () => control.cancel();
        // Before anything is shown on it.
        if (this.#keyboard) this.#takeInput(control);
        if (output) this.#openFollowers(merged, output);
      },
      recorded: (sizes) => {
        for (const [stream, follower] of this.#followers) follower.wake(sizes[stream]);
      },
    };
  }

  /** Resolves when everything recorded of an attempt has been shown; another attempt follows. */
  async finishAttempt(): Promise<void> {
    await Promise.all(Array.from(this.#followers.values(), (follower) => follower.finish()));
  }

  /** The same for the last attempt; the terminal is restored. */
  async finish(): Promise<void> {
    await this.finishAttempt();
    this.restore();
  }

  startLine(): void {
    const [first] = this.#followers.values();
    if (first && first.lastByte !== LINE_FEED) first.to.write('\n');
  }

  /** Restores the terminal, unless it hung up. */
  restore(): void {
    this.#hasSignals = false;
    for (const undo of this.#undo.splice(0)) {
      try {
        undo();
      } catch {
        // The terminal is gone.
      }
    }
  }

  /** Between two attempts too, a signal ends the run instead of this process. */
  #takeSignals(): void {
    if (this.#hasSignals) return;
    this.#hasSignals = true;
    for (const signal of SIGNALS) {
      const cancel = () => {
        if (signal === 'SIGHUP') process.once('exit', releaseHungUpTerminal);
        this.#cancel();
      };
      process.on(signal, cancel);
      this.#undo.push(() => process.off(signal, cancel));
    }
  }

  #cancel(): void {
    this.#cancels++;
    if (this.#cancels === 1 && !this.#quiet)
      process.stderr.write(`\r\n${paint.yellow('tacho:')} ending the run; once more to kill it\r\n`);
    this.#cancelAttempt();
  }

  #openFollowers(merged: boolean, output: Output): void {
    const { auditFolder, attempt } = this.#place!;
    const names = attemptFileNames(attempt);
    const at = (name: string) => path.join(auditFolder, name);
    const main = process[output];
    // Both go to one place: the merged log keeps the order between the program's streams.
    const isOnePlace = main === process.stderr || (main.isTTY && process.stderr.isTTY);
    const together = merged || (isOnePlace && fs.existsSync(at(names.pty)));
    const follow = (stream: RawStream, to: NodeJS.WriteStream) => {
      const file = at(names[stream]);
      const follower = new FileFollower({
        path: file,
        from: stream === 'pty' ? ptyHeaderBytes(file) : 0,
        to,
        addCarriageReturn: () =>
          this.interactive && to.isTTY && !merged && this.#control!.terminal.expectsNewlineTranslation(),
        show: (bytes) => this.#show(bytes, to),
      });
      this.#followers.set(stream, follower);
    };
    follow(together ? 'pty' : 'stdout', main);
    if (!together) follow('stderr', process.stderr);
  }

  /** A program with its own keyboard receives the terminal's answers, so its queries may pass. */
  async #show(bytes: Buffer, to: NodeJS.WriteStream): Promise<void> {
    if (to.isTTY) this.#own?.note(bytes);
    await (this.interactive ? writeLive(to, bytes) : writeOut(to, bytes));
  }

  #takeInput(control: TerminalControl): void {
    const { stdin } = process;
    this.#own = OwnTerminal.take({
      use: 'run',
      onKeys: (keys) => void control.write(keys),
      onResize: ({ cols, rows }) => control.resize(cols, rows),
    });
    this.#undo.push(() => this.#own?.restore());
    if (!stdin.isTTY) {
      void feed(control);
    }
    this.#undo.push(() => stdin.destroy());
  }
}

/** Sends piped input to the program at the rate the program reads it. */
async function feed(control: TerminalControl): Promise<void> {
  try {
    for await (const bytes of process.stdin) await control.feed(bytes as Buffer);
    await control.endFeed();
  } catch {
    // Our input was closed, or the run has ended.
  }
}
