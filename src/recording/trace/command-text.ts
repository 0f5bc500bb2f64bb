import { basename } from 'node:path';
import { readCString } from './c-string.ts';
import { scanArguments } from './call-arguments.ts';
import type { TraceCall } from './trace-reader.ts';

const MAX_COMMAND_LENGTH = 200;

/** `program arguments…` of an exec, in one line of at most 200 characters. */
export function commandText(call: TraceCall): string {
  const pathAt = call.name === 'execveat' ? 1 : 0;
  const path = stringOf(call.args[pathAt] ?? '');
  const list = call.args[pathAt + 1] ?? '';
  const argv = (list.startsWith('[') ? scanArguments(list.slice(1, -1), 0)?.args : undefined) ?? [];
  // A program executed through its open file has no path; its name is the first argument.
  const program = basename(path === '' ? stringOf(argv[0] ?? '') : path);
  const text = [program, ...argv.slice(1).map(stringOf)].join(' ').replace(/\s+/g, ' ').trim();
  return text.length <= MAX_COMMAND_LENGTH ? text : `${text.slice(0, MAX_COMMAND_LENGTH - 1)}…`;
}

function stringOf(argument: string): string {
  if (argument === '...') return '…';
  const string = argument.startsWith('"') ? readCString(argument, 0) : null;
  if (!string) return '';
  return string.bytes.toString() + (string.truncated ? '…' : '');
}
