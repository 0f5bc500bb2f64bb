import * as z from 'zod';
import { descriptorShortage } from '../../files/index.ts';
import { EXIT_CODES, TachoError } from '../../protocol/index.ts';
import { fitLine } from './fit-line.ts';
import { paint } from './paint.ts';

/** Prints an error with its fix, as text or JSON; returns the exit code. */
export function reportError(error: unknown, json: boolean): number {
  const known = descriptorShortage('command', error) ?? (error instanceof TachoError ? error : unexpected(error));
  if (json) {
    const { code, message, fix, facts } = known;
    process.stdout.write(`${JSON.stringify({ error: { code, message, fix: fix ?? null, details: facts } })}\n`);
  } else {
    print(`${paint.red('tacho:')} ${known.message} ${paint.dim(`[${known.code}]`)}`);
    if (known.fix) print(`  ${unbrokenCommand(known.fix)}`);
    if (known.code === 'INTERNAL' && known.cause instanceof Error) process.stderr.write(`${known.cause.stack}\n`);
  }
  return EXIT_CODES[known.code];
}

function print(line: string): void {
  process.stderr.write(`${fitLine(line, process.stderr, 2).replaceAll(FIXED_SPACE, ' ')}\n`);
}

const FIXED_SPACE = '\u00a0';

/** Keeps the command at the end of a remedy on one line, to be copied. */
function unbrokenCommand(fix: string): string {
  return fix.replace(/(?<=: )tacho [^:]+$/, (command) => command.replaceAll(' ', FIXED_SPACE));
}

function unexpected(cause: unknown): TachoError {
  if (cause instanceof z.ZodError) {
    const issue = cause.issues[0];
    const message = `a file of the record is not in its format: ${issue?.path.join('.')} ${issue?.message}`;
    return new TachoError('RUN_RECORD_CORRUPT', message, { cause, fix: 'Check the record with: tacho verify' });
  }
  if ((cause as NodeJS.ErrnoException | null)?.syscall === 'uv_cwd') {
    const fix = 'Change to an existing directory.';
    return new TachoError('CWD_NOT_FOUND', 'the current directory no longer exists', { cause, fix });
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TachoError('INTERNAL', message, {
    cause,
    fix: 'This is a bug in tacho; please report it with the lines below.',
  });
}
