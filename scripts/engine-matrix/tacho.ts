import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AUDIT_FOLDER, type FcmpMessage, type Meta } from '../../src/protocol/index.ts';

const COMMAND = fileURLToPath(new URL('../../bin/tacho', import.meta.url));

/** What `tacho run --json` prints about an engine's run. */
export interface RunAnswer {
  run_id: string;
  attempt: number;
  status: string;
  session_id: string | null;
  question: string | null;
  completion: { state: string; reason_code: string };
}

/** The built `tacho` with a data folder of its own. */
export interface Tacho {
  run(words: readonly string[]): Promise<RunAnswer>;
  meta(answer: RunAnswer): Meta;
  conversation(answer: RunAnswer): FcmpMessage[];
}

let current: ChildProcess | null = null;

/** Passes a signal on to the command that runs. */
export function signalTacho(signal: NodeJS.Signals): void {
  current?.kill(signal);
}

export function openTacho(home: string, enginesFolder: string): Tacho {
  const env = {
    ...process.env,
    TACHO_HOME: home,
    TACHO_ENGINES_FOLDER: enginesFolder,
    NO_COLOR: '1',
    // Old versions of claude retry a rejected key for three minutes without a word.
    CLAUDE_CODE_MAX_RETRIES: '2',
  };
  const audit = ({ run_id }: RunAnswer, name: string) =>
    fs.readFileSync(path.join(home, 'runs', run_id, AUDIT_FOLDER, name), 'utf8');
  return {
    run: (words) => answerOf([words[0]!, '--json', ...words.slice(1)], env, home),
    meta: (answer) => JSON.parse(audit(answer, `meta.${answer.attempt}.json`)) as Meta,
    conversation: (answer) =>
      audit(answer, 'conversation.jsonl')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as FcmpMessage),
  };
}

async function answerOf(words: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<RunAnswer> {
  const child = spawn(process.execPath, [COMMAND, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  current = child;
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += bytes;
  });
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes;
  });
  await new Promise((resolve) => child.on('close', resolve));
  current = null;
  const answer = JSON.parse(stdout.trimEnd().split('\n').at(-1) || 'null') as
    | RunAnswer
    | { error: { code: string; message: string } }
    | null;
  if (answer && 'run_id' in answer) return answer;
  throw new Error(answer ? `${answer.error.code}: ${answer.error.message}` : stderr.trim());
}
