import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';
import { installCodex, startCodexExecServer } from './support/codex-exec-server.ts';
import { bareSpawn, type CommandRunner, startRuntime } from './support/command-runners.ts';
import { execRows } from './support/exec-rows.ts';
import { median } from './support/figures.ts';
import { inTurn } from './support/in-turn.ts';

export const name = 'output streamed over the socket';
export const goal = '≥ 40 MB/s';
export const about =
  '`cat` of 100 MB through `exec.stream` with `when_behind: "wait"`, every byte counted by the caller: of text such as a test run prints, ' +
  'with colours, quotes and characters beyond ASCII, which is sent as text; and of random bytes, which are sent in base64. Peers: `codex ' +
  'exec-server`, the native program of the npm package, over its stdin and stdout, whose messages always hold base64 and are read here ' +
  'as ours are; and the pipe of a child of the calling process, which is the most there is.';

const PIECE_BYTES = 1_000_000;
const PIECES = 100;
const BYTES = PIECES * PIECE_BYTES;
const ROUNDS = { rounds: 5, warmUp: 1 };
const MIN_PER_SECOND = 40;

export async function run(): Promise<Row[]> {
  const installed = installCodex();
  const codex = installed.folder === null ? null : await startCodexExecServer(installed.folder);
  const tacho = await startRuntime();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const compare = async (what: string, piece: Buffer): Promise<Row[]> => {
    const file = path.join(folder, 'printed');
    fs.writeFileSync(file, '');
    for (let written = 0; written < PIECES; written++) fs.appendFileSync(file, piece);
    const taken = await inTurn(
      { ours: () => rate(tacho, file), codex: codex && (() => rate(codex, file)), bare: () => rate(bareSpawn, file) },
      ROUNDS,
    );
    return execRows({
      what: `100 MB of ${what}, streamed`,
      taken,
      bareName: 'pipe of a child',
      figure: median,
      text: (rate) => `${rate.toFixed(0)} MB/s`,
      goal,
      met: (rate) => rate >= MIN_PER_SECOND,
      note: `medians of ${ROUNDS.rounds}`,
      problem: installed.problem,
    });
  };
  try {
    return [...(await compare('text', someText())), ...(await compare('random bytes', randomBytes(PIECE_BYTES)))];
  } finally {
    await tacho.stop();
    await codex?.stop();
    fs.rmSync(folder, { recursive: true });
  }
}

/** In megabytes a second. */
async function rate(runner: CommandRunner, file: string): Promise<number> {
  let got = 0;
  const begun = performance.now();
  await runner.run(['cat', file], (bytes) => {
    got += bytes.length;
  });
  const seconds = (performance.now() - begun) / 1000;
  if (got !== BYTES) throw new Error(`${got} of ${BYTES} bytes arrived`);
  return BYTES / 1e6 / seconds;
}

function someText(): Buffer {
  let text = '';
  while (text.length < PIECE_BYTES) {
    const word = randomBytes(12).toString('base64url');
    text += ` \x1b[32m✓\x1b[39m src/${word}.ts:${text.length}\t"${word.slice(3, 9)} is kept" \x1b[33m7 ms\x1b[39m\n`;
  }
  const bytes = Buffer.from(text);
  const end = bytes.lastIndexOf('\n', PIECE_BYTES);
  return Buffer.concat([bytes.subarray(0, end), Buffer.alloc(PIECE_BYTES - end, '\n')]);
}
