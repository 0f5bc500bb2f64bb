import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ModelServer } from '../../src/demo/index.ts';
import { totalTokens } from '../../src/protocol/index.ts';
import { findRun, readRunRecord } from '../../src/recording/index.ts';
import { installEngine } from '../../src/runs/index.ts';
import { isNodeScript, packageOf } from '../../src/runs/launch/engine-package.ts';
import { type EngineProgram, requireEngineProgram } from '../../src/runs/launch/engine-program.ts';
import { judge, type Observed, PROMPT, REPLY, TRIALS, type Trial } from './judge.ts';
import { openTacho, type RunAnswer, type Tacho } from './tacho.ts';
import type { WantedVersion } from './wanted-versions.ts';

/** What came of one version. */
export interface Verdict {
  wanted: WantedVersion;
  /** The Node that ran it; null for a binary. */
  node: string | null;
  /** What is wrong, by trial; a trial that is right has nothing here. */
  wrong: Partial<Record<Trial, string[]>>;
  /** Why nothing could be tried: it could not be installed or started. */
  unavailable: string | null;
}

export interface Progress {
  say(text: string): void;
}

/** Long enough for a busy machine; an engine that retries for ever ends here. */
const LIMITS = ['--timeout', '600s', '--no-progress-timeout', '300s'];
const MODELS: Readonly<Record<string, string>> = {
  codex: 'gpt-5.5',
  gemini: 'gemini-2.5-flash',
  claude: 'claude-sonnet-4-5',
};

/** Installs one version and plays the scenarios with it. Only `enginesFolder` is kept. */
export async function tryVersion(
  wanted: WantedVersion,
  {
    enginesFolder,
    ...stage
  }: { server: ModelServer; enginesFolder: string; progress: Progress; stopping: AbortSignal },
): Promise<Verdict> {
  const { profile, package: name, version } = wanted;
  const { progress } = stage;
  const verdict: Verdict = { wanted, node: null, wrong: {}, unavailable: null };
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-matrix-'));
  try {
    const places = { enginesFolder, searchPath: process.env.PATH ?? '' };
    const install = { package: name, version };
    await Promise.race([installEngine({ ...profile, install }, places, progress), rejectAt(stage.stopping)]);
    verdict.node = nodeOf(requireEngineProgram(profile, places));
    await playAll(wanted, openTacho(home, enginesFolder), { ...stage, home, verdict });
  } catch (error) {
    verdict.unavailable = firstLines((error as Error).message);
    progress.say(`✖ ${verdict.unavailable}`);
  } finally {
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  return verdict;
}

interface Stage {
  server: ModelServer;
  home: string;
  verdict: Verdict;
  progress: Progress;
  stopping: AbortSignal;
}

async function playAll({ profile, version }: WantedVersion, tacho: Tacho, stage: Stage): Promise<void> {
  const { server, home, verdict, progress } = stage;
  let asked: { answer: RunAnswer; seen: Observed } | null = null;
  for (const trial of TRIALS) {
    if (stage.stopping.aborted) return;
    const key = `${profile.name}-${version}-${trial === 'resume' ? 'ask' : trial}`;
    const begun = performance.now();
    let wrong: string[];
    try {
      const run = asked?.answer.run_id ?? 'last';
      const answer = await tacho.run(
        trial === 'resume' ? ['resume', run, REPLY] : runWords(profile.name, trial, `${server.url}/sc/${trial}:${key}`),
      );
      const seen = observe(answer, { tacho, server, home, key });
      wrong = judge(trial, seen, asked?.seen ?? null);
      if (trial === 'ask') asked = { answer, seen };
    } catch (error) {
      wrong = [firstLines((error as Error).message)];
    }
    if (wrong.length > 0) verdict.wrong[trial] = wrong;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    progress.say(
      `${wrong.length === 0 ? '✔' : '✖'} ${trial} ${seconds} s${wrong.map((one) => `\n    ${one}`).join('')}`,
    );
  }
}

function runWords(engine: string, trial: Trial, baseUrl: string): string[] {
  const model = MODELS[engine];
  return [
    'run',
    engine,
    '--scratch',
    '--base-url',
    baseUrl,
    ...(model === undefined ? [] : ['--model', model]),
    ...(trial === 'ask' ? ['--mode', 'interactive'] : []),
    ...LIMITS,
    '--',
    PROMPT,
  ];
}

function observe(
  answer: RunAnswer,
  { tacho, server, home, key }: { tacho: Tacho; server: ModelServer; home: string; key: string },
): Observed {
  const { status, session_id, question, completion } = answer;
  const record = readRunRecord(findRun(path.join(home, 'runs'), answer.run_id));
  const requests = server.requests().filter((request) => request.key === key);
  return {
    status,
    state: completion.state,
    reason: completion.reason_code,
    session: session_id,
    question,
    tokens: record.usage?.total_tokens ?? null,
    prompts: requests.flatMap(({ side, prompt }) => (side || prompt === null ? [] : [prompt])),
    billed: { task: billedFor(requests.filter(({ side }) => !side)), all: billedFor(requests) },
    coverage: tacho.meta(answer).parse?.coverage ?? 0,
    conversation: tacho.conversation(answer),
  };
}

function billedFor(requests: ReturnType<ModelServer['requests']>): number {
  return requests.reduce((sum, { billed }) => sum + (billed === null ? 0 : (totalTokens({ ...billed }) ?? 0)), 0);
}

/** An installation cannot be stopped, but need not be waited for. */
function rejectAt(stopping: AbortSignal): Promise<never> {
  return new Promise((_, reject) => stopping.addEventListener('abort', () => reject(new Error('stopped'))));
}

function nodeOf({ path: program, before }: EngineProgram): string | null {
  if (before.length > 0) return packageOf(program)?.version ?? 'another';
  return isNodeScript(program) ? process.versions.node : null;
}

/** npm explains at length. */
function firstLines(message: string): string {
  return message.trim().split('\n').slice(0, 3).join(' ').slice(0, 300);
}
