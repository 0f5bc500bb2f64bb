import fs from 'node:fs';
import path from 'node:path';
import { attemptFileNames } from '../../src/protocol/index.ts';
import { type RunFolder, recordedText, runFolderAt } from '../../src/recording/index.ts';
import { openTerminal } from '../../src/runtime/open-terminal.ts';
import { projectRoot } from './tacho.ts';

/** Recorded sessions of full-screen programs, with captures of tmux and the text that must come of them. */
const SCREENS_FOLDER = path.join(projectRoot, 'test/fixtures/screens');
export const SCREEN_CASES = ['vim', 'codex', 'claude'] as const;
export type ScreenCase = (typeof SCREEN_CASES)[number];

const names = attemptFileNames(1);

/** Without its events and hashes; stdout is there because it tells that line feeds are bare. */
const KEPT = [names.pty, names.chunks, names.stdin, names.stdout];

export function screenFixture(name: ScreenCase): { folder: RunFolder; captures: string[][]; text: string } {
  const folder = runFolderAt(path.join(SCREENS_FOLDER, name));
  const read = (file: string) => fs.readFileSync(path.join(folder.path, file), 'utf8');
  return { folder, captures: JSON.parse(read('captures.json')) as string[][], text: read('text.txt') };
}

export function writeScreenFixture(name: ScreenCase, run: RunFolder, captures: string[][]): void {
  const fixture = runFolderAt(path.join(SCREENS_FOLDER, name));
  fs.mkdirSync(fixture.audit, { recursive: true });
  for (const file of KEPT) fs.copyFileSync(path.join(run.audit, file), path.join(fixture.audit, file));
  fs.writeFileSync(path.join(fixture.path, 'captures.json'), `${JSON.stringify(captures, null, 1)}\n`);
  fs.writeFileSync(path.join(fixture.path, 'text.txt'), textOf(run));
}

export function textOf(folder: RunFolder): string {
  return [...recordedText(folder, 1, openTerminal)].map(({ text }) => text).join('');
}

/**
 * Lines that tmux showed and the text does not have. A line that was continued later is there as a whole; spaces are
 * all alike to a reader.
 */
export function missingLines(text: string, captures: readonly string[][]): string[] {
  const readable = (line: string) => line.replaceAll('\u00a0', ' ');
  const lines = text.split('\n').map(readable);
  return captures.flat().filter((line) => !lines.some((written) => written.startsWith(readable(line))));
}
