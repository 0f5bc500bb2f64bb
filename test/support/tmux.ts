import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { until } from './tacho.ts';

export interface Pane {
  keys(...keys: string[]): void;
  /** The lines of the screen, without trailing blanks. */
  lines(): string[];
  resize(cols: number, rows: number): void;
  /** Resolves when the screen shows the text. */
  shows(text: string): Promise<void>;
}

interface PaneOptions {
  /** Run by a shell. */
  command: string;
  cwd: string;
  env: Record<string, string>;
  cols: number;
  rows: number;
}

/** A terminal of tmux, until the test ends. */
export function openPane({ command, cwd, env, cols, rows }: PaneOptions): Pane {
  const socket = `tacho-${randomUUID()}`;
  const tmux = (...words: string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { cwd, env, encoding: 'utf8' });
  onTestFinished(() => void tmux('kill-server'));
  tmux('new-session', '-d', '-x', String(cols), '-y', String(rows), command);
  const lines = () => {
    const screen = tmux('capture-pane', '-p').split('\n').slice(0, -1);
    return screen.map((line) => line.trimEnd());
  };
  return {
    keys: (...keys) => void tmux('send-keys', ...keys),
    lines,
    resize: (newCols, newRows) => void tmux('resize-window', '-x', String(newCols), '-y', String(newRows)),
    shows: async (text) => void (await until(() => lines().join('\n').includes(text))),
  };
}
