import path from 'node:path';
import type { RaspData } from '../../../protocol/index.ts';

type Call = RaspData<'tool.call.started'>;

/** Names under which engines report the path a tool works on. */
const PATH_KEY =
  /^(?:abs(?:olute)?_?)?(?:file|notebook|target|source|destination|old|new|dir|directory)?_?(?:path|paths|file|files|filename)$/i;
/** Tools that read and never write. */
const READS_ONLY = /^(?:read|view|open|list|ls|glob|grep|search|find|cat|stat|fetch|web)(?:[_\W]|[A-Z]|$)/i;
const MAX_PATHS = 256;
const MAX_DEPTH = 4;
const MAX_COMMAND = 16 * 1024;

/** The files a tool call works on; bounded, whatever the engine reports. */
export interface CallTarget {
  /** Absolute, from arguments that name a path. */
  paths: readonly string[];
  /** The command line of a call that runs one. */
  command: string | null;
  readsOnly: boolean;
}

/** Extracts paths and the command line from a call's arguments. */
export function targetOf({ name, kind, arguments: given }: Call, cwd: string): CallTarget {
  const found = new Set<string>();
  collect(given, null, 0);
  const readsOnly = kind === 'search' || (kind !== 'command' && READS_ONLY.test(name));
  return { paths: [...found], command: commandOf(given), readsOnly };

  function collect(value: unknown, key: string | null, depth: number): void {
    if (found.size >= MAX_PATHS || depth > MAX_DEPTH) return;
    if (typeof value === 'string') {
      if (key !== null && PATH_KEY.test(key) && value !== '' && !value.includes('\n'))
        found.add(path.resolve(cwd, value));
    } else if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_PATHS)) collect(item, key, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) collect(item, name, depth + 1);
    }
  }
}

function commandOf(given: unknown): string | null {
  const command =
    (given as { command?: unknown; cmd?: unknown } | null | undefined)?.command ??
    (given as { cmd?: unknown } | null)?.cmd;
  if (typeof command === 'string') return command.slice(0, MAX_COMMAND);
  return Array.isArray(command)
    ? command
        .filter((word) => typeof word === 'string')
        .join(' ')
        .slice(0, MAX_COMMAND)
    : null;
}

/** True when a command line mentions the file, by its path or by its name as a separate word. */
export function mentions(command: string, relative: string): boolean {
  const name = path.basename(relative);
  return [relative, name].some((text) => text.length > 1 && hasWord(command, text));
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + word.length] ?? ' ';
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}
