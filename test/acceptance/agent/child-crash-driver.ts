import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { findServer } from '../../../src/runtime/index.ts';
import { type ChatAnswer, type ChatMessage, startModelServer } from '../../support/model-server.ts';
import { builtProgram } from '../../support/program.ts';
import { tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';

export const PARENT = 'run-p';
export const ANSWER = 'Both lines are there.';
export const TEXT = `The child says: ${ANSWER}`;
export const LINES = 'one\ntwo\n';

export interface CrashPlace {
  /** For the pids of its processes, and whether one of them was killed. */
  folder: string;
  workspace: string;
  home: string;
}

/** Which process to kill, around which event of which log. */
export interface KillPoint {
  run: string;
  kind: 'before' | 'torn' | 'after';
  seq: number;
  who: 'parent' | 'daemon' | 'child';
}

/** Appends one line after the other. What has an unknown outcome is verified, and done again only if it is not done. */
function childTurn(messages: readonly ChatMessage[]): ChatAnswer {
  const results = new Map(messages.map(({ tool_call_id, content }) => [tool_call_id ?? '', JSON.stringify(content)]));
  for (const line of ['one', 'two']) {
    const append = { name: 'shell_command', arguments: { command: `echo ${line} >> lines.txt` } };
    const result = results.get(line);
    if (result === undefined) return { calls: [{ id: line, ...append }] };
    if (!result.includes('unknown_outcome')) continue;
    const seen = results.get(`verify-${line}`);
    const verify = { id: `verify-${line}`, name: 'file_read', arguments: { path: 'lines.txt' } };
    if (seen === undefined) return { calls: [verify] };
    if (!seen.includes(line) && !results.has(`again-${line}`)) return { calls: [{ id: `again-${line}`, ...append }] };
  }
  return { text: ANSWER };
}

export async function crashPlace(): Promise<CrashPlace> {
  const folder = temporaryFolder();
  const [workspace, home] = ['workspace', 'home'].map((name) => path.join(fs.realpathSync(folder), name)) as [
    string,
    string,
  ];
  for (const made of [workspace, home]) fs.mkdirSync(made);
  fs.writeFileSync(path.join(workspace, 'lines.txt'), '');
  const config = {
    llm: { provider: 'openai_compatible', base_url: await startModelServer(childTurn) },
    models: { executor: 'test' },
    sandbox: { profile: 'none' },
    safety: { write: 'allow', command: 'allow' },
  };
  fs.writeFileSync(path.join(home, 'config.yaml'), stringify(config));
  const place = { folder, workspace, home };
  onTestFinished(() => endDaemon(place));
  return place;
}

export interface ParentOutcome {
  status: 'completed' | 'failed' | 'waiting' | 'error' | 'killed';
  code?: string;
  text?: string;
  message?: string;
}

/** One process of the parent: starts or resumes its run, and prints how that ended. */
export function startParent(how: 'start' | 'resume', place: CrashPlace, kill: KillPoint | null = null) {
  const program = (name: string) => builtProgram(fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url)));
  const args = [program('child-parent'), how, place.workspace, place.home, tachoCommand, PARENT];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      TACHO_HOME: place.home,
      CRASH_FOLDER: place.folder,
      NODE_OPTIONS: `--import=${program('kill-process')}`,
      ...(kill ? { CRASH_AT: JSON.stringify(kill) } : {}),
    },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const outcome = new Promise<ParentOutcome>((resolve) =>
    child.once('close', (_, signal) => {
      resolve(signal === 'SIGKILL' ? { status: 'killed' } : (JSON.parse(text) as ParentOutcome));
    }),
  );
  return { child, outcome };
}

export function wasKilled({ folder }: CrashPlace): boolean {
  return fs.existsSync(path.join(folder, 'killed'));
}

/** Carries the run through to its end, with whatever processes it takes. */
export async function driveFamily(place: CrashPlace, kill: KillPoint | null): Promise<ParentOutcome> {
  let how: 'start' | 'resume' = 'start';
  for (let processes = 0; processes < 4; processes++) {
    const last = await startParent(how, place, kill).outcome;
    if (last.code === 'RUN_NOT_FOUND') {
      // It was killed before it had begun: there is nothing to resume.
      fs.rmSync(path.join(place.workspace, '.tacho/runs', PARENT), { recursive: true });
      how = 'start';
      continue;
    }
    if (last.status !== 'killed') return last;
    how = 'resume';
  }
  throw new Error('the run does not end');
}

/** Ends the daemon; then nothing of the place may run any more. */
export async function endDaemon(place: CrashPlace): Promise<void> {
  const client = await findServer(place.workspace).catch(() => null);
  await client?.call('runtime.shutdown', {}).catch(() => {});
  client?.close();
  await until(() => processesOf(place).length === 0);
}

/** Processes that belong to a place: by their environment, or by their folder. */
export function processesOf({ folder, workspace }: CrashPlace): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const isOurs =
          fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CRASH_FOLDER=${folder}\0`) ||
          fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(workspace);
        return isOurs ? [fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')] : [];
      } catch {
        return []; // Gone meanwhile.
      }
    });
}
