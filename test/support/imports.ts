import { isBuiltin } from 'node:module';
import path from 'node:path';

/** What each folder of `src/` may import in addition to itself; null means everything. */
export type ImportTable = ReadonlyMap<string, ReadonlySet<string> | null>;

export interface SourceFile {
  /** Relative to `src/`, with `/`. */
  path: string;
  text: string;
}

export interface ImportRules {
  table: ImportTable;
  /** Folders that may import these packages and no others, nor any module of Node. */
  onlyPackages: ReadonlyMap<string, readonly string[]>;
  /** Folders that may import no module of Node. */
  withoutNode: ReadonlySet<string>;
}

/** Reads the first table whose head is `| folder | may import |`. */
export function readImportTable(markdown: string): ImportTable {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => /^\|\s*folder\s*\|\s*may import\s*\|$/.test(line.trim()));
  if (head < 0) throw new Error('there is no table headed | folder | may import |');
  const table = new Map<string, ReadonlySet<string> | null>();
  for (const line of lines.slice(head + 2)) {
    const cells = line.trim().split('|').slice(1, -1);
    if (cells.length !== 2) break;
    const [folders, imports] = cells.map((cell) => namesIn(cell)) as [string[], string[]];
    for (const folder of folders) table.set(folder, imports[0] === 'everything' ? null : new Set(imports));
  }
  return table;
}

function namesIn(cell: string): string[] {
  return cell
    .split(',')
    .map((name) => name.replaceAll('`', '').trim())
    .filter((name) => name !== '' && name !== '–');
}

const SPECIFIERS = [
  /\bfrom\s*(['"])(?<specifier>[^'"\n]+)\1/g, // import … from, export … from
  /\bimport\s*(['"])(?<specifier>[^'"\n]+)\1/g, // import for its effects
  /\b(?:import|require|createRequire\([^)]*\))\s*\(\s*(['"`])(?<specifier>[^'"`$\n]+)\1/g, // import(), require()
];
const COMPUTED = /\bimport\s*\(\s*(?!\)|['"`][^'"`$\n]+['"`])/;

/** Marks an import whose target is computed at run time. */
export const COMPUTED_IMPORT = '(computed)';

/**
 * Everything a file imports. It may find an import in a comment, but never misses one: a false alarm is noticed at
 * once, a missed import never.
 */
export function importSpecifiers(text: string): string[] {
  const found = SPECIFIERS.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), (match) => match.groups!.specifier!),
  );
  if (COMPUTED.test(text)) found.push(COMPUTED_IMPORT);
  return [...new Set(found)];
}

/** One sentence per import that the rules do not allow. */
export function findViolations(files: readonly SourceFile[], rules: ImportRules): string[] {
  return files.flatMap((file) => {
    const folder = folderOf(file.path);
    // Entry files are directly in src/ and may import everything.
    if (folder === null) return [];
    const allowed = rules.table.get(folder);
    if (allowed === undefined) return [`${file.path}: the folder ${folder} is not in the table`];
    return importSpecifiers(file.text)
      .map((specifier) => complaint(file.path, folder, allowed, specifier, rules))
      .filter((sentence) => sentence !== null);
  });
}

function complaint(
  file: string,
  folder: string,
  allowed: ReadonlySet<string> | null,
  specifier: string,
  rules: ImportRules,
): string | null {
  if (allowed === null) return null;
  if (specifier === COMPUTED_IMPORT) return `${file}: imports something that cannot be read from the source`;
  if (!specifier.startsWith('.')) return packageComplaint(file, folder, specifier, rules);
  const target = path.posix.join(path.posix.dirname(file), specifier);
  if (target.startsWith('..')) return `${file}: ${specifier} is outside of src`;
  const targetFolder = folderOf(target);
  if (targetFolder === folder || (targetFolder !== null && allowed.has(targetFolder))) return null;
  return `${file}: ${folder} may not import ${targetFolder ?? specifier}`;
}

function packageComplaint(file: string, folder: string, specifier: string, rules: ImportRules): string | null {
  const only = rules.onlyPackages.get(folder);
  const node = isBuiltin(specifier);
  if (only ? !only.includes(specifier) : node && rules.withoutNode.has(folder)) {
    return `${file}: ${folder} may not import ${specifier}`;
  }
  return null;
}

function folderOf(file: string): string | null {
  const slash = file.indexOf('/');
  return slash < 0 ? null : file.slice(0, slash);
}
