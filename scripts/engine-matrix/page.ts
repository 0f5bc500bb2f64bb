import fs from 'node:fs';
import { ENGINE_NAMES } from '../../src/protocol/index.ts';
import { compareVersions } from '../../src/runs/launch/engine-version.ts';
import { TRIALS } from './judge.ts';
import type { Verdict } from './try-version.ts';

const HEAD = ['engine', 'version', 'which is', 'Node', ...TRIALS, 'remarks', 'tried on'];

const INTRODUCTION = `# Versions of engines

\`npm run engines:matrix\` writes this page: it installs the pinned, the newest and some older versions of each engine and plays scenarios of the
[model server](demo.md) with them, through \`tacho\` as it is used.

| trial | is right if |
|---|---|
| \`text\` | a plain answer ends as \`TERMINAL_SIGNAL\` |
| \`tool\` | a command runs, its call and its file are recorded, and the run ends as \`DONE_MARKER\` |
| \`e401\` | a rejected key ends as \`ENGINE_AUTH_REQUIRED\` |
| \`ask\` | the question is found, and the run waits for its answer |
| \`resume\` | the answer reaches the same session, and the run ends as \`DONE_MARKER\` |

Each of them also requires that all output became events; and all but \`e401\` that there is a session, that prompt and texts are
exactly those that were sent, and that the tokens are those the server billed.

*pinned* is the version that \`tacho engines install\` installs. *Node* is the one that ran the engine; an engine that needs a newer one than
\`tacho\` itself [gets its own](engines.md#installation-and-versions), and a binary needs none.

`;

const EXPLANATION = `
\`npm run engines:matrix -- codex claude@2.1.98\` tries some engines or versions and replaces their rows; \`--keep\` keeps the installed
versions for the next time. Versions that are right are the \`testedVersions\` of the profile; others run with a warning.

Code: \`scripts/engine-matrix/\`.
`;

/** A row of the table, as text. */
export type Row = readonly string[];

/**
 * The page with the new rows: an engine that was tried as a whole loses its old ones, and single versions replace their
 * own.
 */
export function renderPage(
  before: string,
  verdicts: readonly Verdict[],
  facts: { whole: readonly string[]; date: string },
): string {
  const rows = new Map(readRows(before).map((row) => [keyOf(row), row]));
  for (const [key, row] of rows) if (facts.whole.some((engine) => row[0] === code(engine))) rows.delete(key);
  for (const verdict of verdicts) {
    const row = rowOf(verdict, facts.date);
    rows.set(keyOf(row), row);
  }
  const sorted = [...rows.values()].sort(inOrder);
  return `${INTRODUCTION}${[HEAD, HEAD.map(() => '---'), ...sorted].map((row) => `| ${row.join(' | ')} |\n`).join('')}${EXPLANATION}`;
}

export function readPage(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

/** The rows of the table of versions: those that begin with an engine and have all columns. */
export function readRows(page: string): Row[] {
  const cells = page.split('\n').map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
  return cells.filter((row) => row.length === HEAD.length && row[0]!.startsWith('`'));
}

function rowOf({ wanted, node, wrong, unavailable }: Verdict, date: string): Row {
  const { profile, package: name, version, roles } = wanted;
  const renamed = name === profile.install!.package ? [] : [`as ${code(name)}`];
  const remarks = [...renamed, ...(unavailable === null ? [] : [unavailable]), ...remarksOf(wrong)];
  return [
    code(profile.name),
    version,
    roles.join(', '),
    node ?? '–',
    ...TRIALS.map((trial) => (unavailable !== null ? '–' : wrong[trial] ? '✖' : '✔')),
    remarks.map((remark) => remark.replaceAll('|', '/').replaceAll('\n', ' ')).join('; ') || '–',
    date,
  ];
}

function remarksOf(wrong: Verdict['wrong']): string[] {
  return TRIALS.flatMap((trial) => (wrong[trial] ? [`${trial}: ${wrong[trial].join(', ')}`] : []));
}

/** As engines are listed, the newest version first. */
function inOrder(one: Row, other: Row): number {
  const place = (row: Row) => ENGINE_NAMES.findIndex((name) => row[0] === code(name));
  return place(one) - place(other) || compareVersions(other[1]!, one[1]!);
}

function keyOf([engine, version]: Row): string {
  return `${engine} ${version}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
