import type { SourceFile } from './imports.ts';

/** Calls of Node that open a file by its name. */
const NAMES = [
  'open',
  'openAsBlob',
  'readFile',
  'writeFile',
  'appendFile',
  'copyFile',
  'cp',
  'truncate',
  'createReadStream',
  'createWriteStream',
].flatMap((name) => [name, `${name}Sync`]);

const IMPORT =
  /import\s+(?:(?<whole>\w+)|(?:type\s+)?\{(?<names>[^}]*)\}|\*\s+as\s+(?<all>\w+))\s+from\s+'(?:node:)?fs(?:\/promises)?'/g;

/** Lines that open a file by its name; not by an open descriptor, named `fd` or `…Fd`. */
export function fileOpens({ path, text }: SourceFile): string[] {
  const callees: string[] = [];
  for (const { groups } of text.matchAll(IMPORT)) {
    const module = groups?.whole ?? groups?.all;
    if (module) callees.push(...NAMES.flatMap((name) => [`${module}.${name}`, `${module}.promises.${name}`]));
    const named = (groups?.names ?? '').split(',').map((name) => name.trim().split(/\s+as\s+/));
    callees.push(...named.filter(([name]) => NAMES.includes(name!)).map((parts) => parts.at(-1)!));
  }
  if (callees.length === 0) return [];
  const call = new RegExp(`(?<![\\w.#])(?:${callees.map(escapeText).join('|')})\\((?!\\s*(?:\\w*Fd|fd)\\b)`);
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => call.test(line.replace(/\/\/.*$/, '')))
    .map(({ line, number }) => `${path}:${number}: ${line.trim()}`);
}

function escapeText(text: string): string {
  return text.replaceAll('.', '\\.');
}
