import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { textPieces } from '../wire/text-pieces.ts';
import type { AgentUsage, PlanItem, Print } from './agent-event.ts';
import { Failure } from './failure.ts';

interface ProgramResult {
  output: string;
  /** Null when it could not be started or was killed. */
  exitCode: number | null;
}

const MAX_OUTPUT_BYTES = 16 * 1024;

/** The actions of a script. Every action is performed and printed. */
export interface Stage {
  think(text: string): Promise<void>;
  /** Shows the plan with its first `done` steps completed and the next one in progress. */
  plan(steps: readonly string[], done: number): Promise<void>;
  say(text: string): Promise<void>;
  /** Prints it as a question. */
  ask(text: string): Promise<void>;
  run(command: readonly string[]): Promise<ProgramResult>;
  writeFile(file: string, content: string): Promise<void>;
  pause(ms: number): Promise<void>;
  usage(): AgentUsage;
}

interface Outcome {
  ok: boolean;
  result: string;
  exit_code?: number | null;
}

export interface StageOptions {
  print: Print;
  prompt: string;
  pace: number;
}

/** The usual estimate: a token is about four characters. */
const CHARACTERS_PER_TOKEN = 4;

export function createStage({ print, prompt, pace }: StageOptions): Stage {
  let texts = 0;
  let calls = 0;
  let written = 0;
  let read = prompt.length;

  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms * pace));

  async function speak(type: 'message' | 'question', text: string): Promise<void> {
    const id = `m${++texts}`;
    written += text.length;
    for (const piece of textPieces(text)) {
      print({ type: 'message_delta', id, text: piece });
      await pause(40);
    }
    print({ type, id, text });
    await pause(250);
  }

  async function call(
    name: string,
    given: Record<string, unknown>,
    work: () => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    const id = `t${++calls}`;
    print({ type: 'tool_started', id, name, arguments: given });
    written += JSON.stringify(given).length;
    const began = performance.now();
    const outcome = await work();
    read += outcome.result.length;
    const duration_ms = Math.round(performance.now() - began);
    print({ type: 'tool_finished', id, name, ...outcome, duration_ms });
    await pause(300);
    return outcome;
  }

  return {
    pause,
    say: (text) => speak('message', text),
    ask: (text) => speak('question', text),
    async think(text) {
      written += text.length;
      await pause(400);
      print({ type: 'thinking', id: `m${++texts}`, text });
    },
    async plan(steps, done) {
      const statusAt = (at: number): PlanItem['status'] =>
        at < done ? 'completed' : at === done ? 'in_progress' : 'pending';
      print({ type: 'plan', items: steps.map((text, at) => ({ text, status: statusAt(at) })) });
      await pause(200);
    },
    async run(command) {
      const { result, exit_code = null } = await call('run', { command }, async () => {
        const { output, exitCode } = await runProgram(command);
        return { ok: exitCode === 0, result: output, exit_code: exitCode };
      });
      return { output: result, exitCode: exit_code };
    },
    async writeFile(file, content) {
      const { ok, result } = await call('write_file', { path: file, content }, () => write(file, content));
      if (!ok) throw new Failure(`${file} cannot be written: ${result}`);
    },
    usage() {
      const input_tokens = Math.ceil(read / CHARACTERS_PER_TOKEN);
      const output_tokens = Math.ceil(written / CHARACTERS_PER_TOKEN);
      return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
    },
  };
}

function write(file: string, content: string): Outcome {
  try {
    fs.writeFileSync(file, content);
    return { ok: true, result: `${Buffer.byteLength(content)} bytes written` };
  } catch (error) {
    return { ok: false, result: (error as Error).message };
  }
}

/** Runs a program in the current folder, without a shell; stdout and stderr are merged, as on a terminal. */
function runProgram([program, ...words]: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program!, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => void chunks.push(bytes));
    child.on('error', (error) => resolve({ output: error.message, exitCode: null }));
    child.on('close', (exitCode) => {
      const output = Buffer.concat(chunks).subarray(0, MAX_OUTPUT_BYTES).toString('utf8');
      resolve({ output, exitCode });
    });
  });
}
