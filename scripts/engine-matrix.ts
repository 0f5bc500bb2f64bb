import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startModelServer } from '../src/demo/index.ts';
import { readPage, renderPage } from './engine-matrix/page.ts';
import { signalTacho } from './engine-matrix/tacho.ts';
import { tryVersion, type Verdict } from './engine-matrix/try-version.ts';
import { type WantedVersion, wantedVersions } from './engine-matrix/wanted-versions.ts';

const PAGE = fileURLToPath(new URL('../docs/engine-versions.md', import.meta.url));
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'tacho-engines', 'versions');

const stopping = new AbortController();

/** Tries versions of engines one after the other, and writes the page after each: what was tried is not lost. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: 'boolean' } } });
  const wanted = wantedVersions(positionals);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
  const server = await startModelServer({});
  const verdicts: Verdict[] = [];
  const date = new Date().toISOString().slice(0, 10);
  try {
    for (const [index, one] of wanted.entries()) {
      say(`${index + 1}/${wanted.length} ${one.profile.name} ${one.version} (${one.roles.join(', ')})`);
      const verdict = await tryIn(one, server, { keep: values.keep ?? false });
      if (stopping.signal.aborted) break;
      verdicts.push(verdict);
      const whole = enginesTriedAsWhole(wanted, positionals, verdicts.length);
      fs.writeFileSync(PAGE, renderPage(readPage(PAGE), verdicts, { whole, date }));
    }
  } finally {
    await server.close();
  }
  const wrong = verdicts.filter((verdict) => verdict.unavailable !== null || Object.keys(verdict.wrong).length > 0);
  say(`${verdicts.length - wrong.length} of ${verdicts.length} right: ${path.relative(process.cwd(), PAGE)}`);
  // An installation may still go on.
  if (stopping.signal.aborted) process.exit(130);
}

/** Each version has a folder of its own, which is removed unless the next time should find it. */
async function tryIn(
  wanted: WantedVersion,
  server: Awaited<ReturnType<typeof startModelServer>>,
  { keep }: { keep: boolean },
): Promise<Verdict> {
  const enginesFolder = path.join(CACHE, `${wanted.profile.name}-${wanted.version}`);
  fs.mkdirSync(enginesFolder, { recursive: true });
  try {
    const progress = { say: (text: string) => say(`  ${text}`) };
    return await tryVersion(wanted, { server, enginesFolder, progress, stopping: stopping.signal });
  } finally {
    if (!keep) {
      fs.rmSync(enginesFolder, { recursive: true, force: true });
      removeIfEmpty(CACHE);
    }
  }
}

/** Engines of which every version was tried, so that their old rows can go. */
function enginesTriedAsWhole(wanted: readonly WantedVersion[], words: readonly string[], tried: number): string[] {
  const names = [...new Set(wanted.map(({ profile }) => profile.name))];
  return names.filter(
    (name) =>
      (words.length === 0 || words.includes(name)) &&
      wanted.findLastIndex(({ profile }) => profile.name === name) < tried,
  );
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch {
    // Another version was kept there.
  }
}

/** What runs is ended, and what it left is removed. */
function stop(signal: NodeJS.Signals): void {
  stopping.abort();
  signalTacho(signal);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
