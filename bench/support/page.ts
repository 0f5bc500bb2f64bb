import os from 'node:os';
import type { Row } from '../row.ts';
import type { BenchResult } from './bench.ts';
import { SANDBOX_AGENT } from './sandbox-agent.ts';

/** `docs/performance.md`, from the results of a complete run. */
export function performancePage(results: readonly BenchResult[], measuredAt: Date): string {
  const rows = results.flatMap((result) => result.rows);
  return `# Performance

The overhead of tacho compared with programs that do part of the same, measured in the same run on the same machine. Machines are shared and
differ, so ratios are more meaningful than times. These figures are not tests: nothing fails on a slow machine.

This page is written by \`npm run bench\`. Last run: ${measuredAt.toISOString().slice(0, 10)}, ${machine()}.

| what | ours | peer | ratio | goal | met |
|---|---|---|---|---|---|
${rows.map(tableRow).join('\n')}

*Ratio* is ours divided by the peer's. Rows without a goal are for comparison.
${againstSandboxAgent(rows)}
## Run it

\`\`\`sh
npm run bench                        # everything, and rewrite this page; takes some minutes
npm run bench -- record-cat start    # scripts whose name contains one of these words; only print
BENCH_SMALL=1 npm run bench -- loss  # 500 commands instead of 10,000
\`\`\`

Each script in \`bench/\` runs in a separate process, one after the other. tacho and its peers take turns, several times, and the medians
are compared. Peers are used where they are installed; \`node-pty\`, \`@sandbox-agent/cli\` and \`@openai/codex\` are installed on demand
into a folder outside the repository.

## What is measured

${results.map(section).join('\n\n')}
`;
}

/** The rows about the server most similar to ours, repeated in one table. */
function againstSandboxAgent(rows: readonly Row[]): string {
  const its = rows.filter(({ peerName }) => peerName === SANDBOX_AGENT);
  if (its.length === 0) return '';
  const line = ({ what, ours, peer, ratio }: Row) => `| ${[what, ours, peer, ratioCell(ratio)].join(' | ')} |`;
  return `
## Against ${SANDBOX_AGENT}

| what | tacho | sandbox-agent | ratio |
|---|---|---|---|
${its.map(line).join('\n')}
`;
}

function machine(): string {
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return `${os.cpus().length} cores, ${memory} GiB of memory, Linux ${os.release()}, Node ${process.version}`;
}

function tableRow(row: Row): string {
  return `| ${rowCells(row)
    .map((cell) => cell.replaceAll('|', '\\|'))
    .join(' | ')} |`;
}

/** What, ours, peer, ratio, goal, met. */
export function rowCells({ what, ours, peer, peerName, ratio, goal, met }: Row): string[] {
  return [what, ours, `${peer} (${peerName})`, ratioCell(ratio), goal, verdict(met)];
}

function section({ name, goal, about, rows, script }: BenchResult): string {
  const paragraph = `**${name[0]!.toUpperCase()}${name.slice(1)}** (\`bench/${script}\`, goal: ${goal}). ${about ?? comparison(rows)}`;
  const notes = rows.filter(({ note }) => note !== undefined).map(({ what, note }) => `- ${what}: ${note}`);
  return notes.length === 0 ? paragraph : `${paragraph}\n\n${notes.join('\n')}`;
}

function comparison(rows: readonly Row[]): string {
  return rows.map((row) => `${row.what} against ${row.peerName}.`).join(' ');
}

function ratioCell(ratio: number | null): string {
  if (ratio === null) return '–';
  return `${ratio >= 0.095 ? ratio.toFixed(2) : ratio.toPrecision(2)}×`;
}

function verdict(met: boolean | null): string {
  return met === null ? '' : met ? 'yes' : 'no';
}
