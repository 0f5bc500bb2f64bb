import fs from 'node:fs';
import * as z from 'zod';
import { openRegularFile, readAt } from '../../files/index.ts';
import { type ErrorCode, EXIT_CODES, TachoError } from '../../protocol/index.ts';
import type { RuntimeFolder } from './runtime-folder.ts';

const LOG_TAIL = 2000;

/** What `tacho runtime serve --json` prints when it cannot start. */
const reportSchema = z.object({
  error: z.object({
    code: z.enum(Object.keys(EXIT_CODES) as ErrorCode[]),
    message: z.string(),
    fix: z.string().nullish(),
    details: z.record(z.string(), z.unknown()).default({}),
  }),
});

/** Why a daemon did not start: its own error, such as an invalid configuration; otherwise the end of its log. */
export function startFailure(folder: RuntimeFolder, what: string): TachoError {
  const reported = readReport(folder.stdoutLog);
  if (reported && reported.code !== 'INTERNAL') {
    const { code, message, fix, details } = reported;
    return new TachoError(code, message, { facts: { ...details, log: folder.stdoutLog }, ...(fix ? { fix } : {}) });
  }
  const log = reported?.message ?? readTail(folder.stderrLog);
  return new TachoError('SERVER_UNREACHABLE', `the daemon of ${folder.workspace} ${what}${log && `: ${log}`}`, {
    facts: { log: folder.stderrLog },
    fix: `See its log: ${folder.stderrLog}`,
  });
}

function readReport(file: string): z.infer<typeof reportSchema>['error'] | null {
  try {
    return reportSchema.parse(JSON.parse(readTail(file))).error;
  } catch {
    return null;
  }
}

/** The end of a log in the workspace, where any program can write; empty if unreadable. */
function readTail(file: string): string {
  let fd: number;
  try {
    fd = openRegularFile(file);
  } catch {
    return '';
  }
  try {
    const { size } = fs.fstatSync(fd);
    return readAt(fd, Math.max(0, size - LOG_TAIL), LOG_TAIL)
      .toString('utf8')
      .trim();
  } finally {
    fs.closeSync(fd);
  }
}
