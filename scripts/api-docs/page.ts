import path from 'node:path';
import * as z from 'zod';
import * as protocol from '../../src/protocol/index.ts';
import { docBefore, printDeclared } from './declaration.ts';
import { type Declared, exportsOf, lookUp } from './exports.ts';
import { typeOfSchema } from './schema-type.ts';

const root = path.join(import.meta.dirname, '../..');

/** By the folder that a declaration is in; the first that applies. */
const SECTIONS: readonly (readonly [folder: RegExp, title: string])[] = [
  [/^src\/agent\/models\/script/, 'Scripted models'],
  [/^src\/agent\/models\//, 'Models'],
  [/^src\/agent\/wal\//, 'Logs'],
  [/^src\/(agent\.ts|agent\/from-config\/)/, 'Configuration'],
  [/^src\/agent\/fork\//, 'Forks and comparisons'],
  [/^src\/agent\/pending\//, 'Decisions of other processes'],
  [/^src\/agent\//, 'Agents and runs'],
  [/^src\/approvals\/(policy|shell)\//, 'Policy'],
  [/^src\/approvals\//, 'Approvers'],
  [/^src\/tools\/commands\//, 'Commands and sandbox'],
  [/^src\/tools\//, 'Tools'],
  [/^src\/protocol\//, 'Events, results and decisions'],
];
const ORDER = [
  'Agents and runs',
  'Models',
  'Scripted models',
  'Tools',
  'Commands and sandbox',
  'Policy',
  'Approvers',
  'Decisions of other processes',
  'Configuration',
  'Forks and comparisons',
  'Logs',
  'Events, results and decisions',
];
/** Documented elsewhere, or too large for a page. */
const ELSEWHERE = new Set(['Config', 'SkillLibrary', 'Vault', 'ErrorCode', 'LiveRun', 'WorkspaceFiles']);
const SCHEMA_TYPE = /^type (\w+) = z\.infer<typeof (\w+)>;$/;

/** Everything that the two entry points export, with doc comments and signatures. */
export function apiSections(): string {
  const main = exportsOf(path.join(root, 'src/agent.ts'));
  const kit = exportsOf(path.join(root, 'src/agent-testkit.ts'));
  const inMain = new Set(main.map(({ name }) => name));
  const shown = new Set([...inMain, ...kit.map(({ name }) => name)]);
  const sections = new Map<string, Declared[]>(ORDER.map((title) => [title, []]));
  for (const one of main) sections.get(sectionOf(one))!.push(one);
  const pages = [...sections].map(([title, entries]) => printSection(title, entries, shown));
  const again = kit.filter(({ name, isType }) => inMain.has(name) && !isType).map(({ name }) => `\`${name}\``);
  const own = kit.filter(({ name }) => !inMain.has(name));
  const note = `From \`tachograph/agent/testkit\`, which also exports ${again.join(', ')}.\n\n`;
  return [...pages, printSection('Test kit', own, shown, note)].join('');
}

/** Names of the values that the pages of an entry point describe. */
export function documentedValues(entry: string): string[] {
  return exportsOf(path.join(root, entry)).flatMap(({ name, isType }) => (isType ? [] : [name]));
}

function sectionOf({ file, name }: Declared): string {
  const place = path.relative(root, file.path);
  const found = SECTIONS.find(([folder]) => folder.test(place));
  if (!found) throw new Error(`no section for ${name} of ${place}; add one to scripts/api-docs/page.ts`);
  return found[1];
}

/** Values come before types: they are what a program begins with. */
function printSection(title: string, entries: readonly Declared[], shown: Set<string>, note = ''): string {
  const sorted = [...entries].sort(
    (one, other) => Number(one.isType && !isClass(one)) - Number(other.isType && !isClass(other)),
  );
  return `## ${title}\n${note}${sorted.map((entry) => printEntry(entry, shown)).join('')}`;
}

function isClass({ declarations }: Declared): boolean {
  return declarations[0]!.type === 'ClassDeclaration';
}

function printEntry(entry: Declared, shown: Set<string>): string {
  const doc = docBefore(entry.file, entry.start);
  const code = [codeOf(entry), ...related(entry, shown)].join('\n\n');
  return `### ${entry.name}\n${doc === '' ? '' : `${doc}\n\n`}\`\`\`ts\n${code}\n\`\`\`\n\n`;
}

/** Types that an entry uses and that no entry point exports: shown once, where they are used first. */
function* related(entry: Declared, shown: Set<string>): Generator<string> {
  for (const [name] of codeOf(entry).matchAll(/\b[A-Z]\w+/g)) {
    if (shown.has(name) || ELSEWHERE.has(name)) continue;
    const found = lookUp(name, entry.file);
    if (!found?.isType || isClass(found)) continue;
    shown.add(name);
    const doc = docBefore(found.file, found.start);
    yield `${doc === '' ? '' : `// ${doc.replaceAll('\n', '\n// ')}\n`}${codeOf(found)}`;
    yield* related(found, shown);
  }
}

/** Types that are inferred from schemas are written out. */
function codeOf(entry: Declared): string {
  const text = printDeclared(entry);
  // Those of all events would fill pages; the page about the log has them.
  if (entry.name === 'AgentData') return text.replace(/z\.infer<.*>;$/, '…; // see agent-log.md#data');
  if (entry.name === 'AgentEventType') {
    const types = Object.keys(protocol.agentEventDataSchemas).map((name) => `  | '${name}'\n`);
    return `type AgentEventType =\n${types.join('').trimEnd()};`;
  }
  const [, name, schemaName] = SCHEMA_TYPE.exec(text) ?? [];
  const schema = schemaName && (protocol as Record<string, unknown>)[schemaName];
  return schema instanceof z.ZodType ? `type ${name} = ${typeOfSchema(schema)};` : text;
}
