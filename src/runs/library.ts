import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { engineOf } from '../engines/index.ts';
import { readRegularFile } from '../files/index.ts';
import { attemptFileNames, type CaptureMode, type DeliveredSkill, type Meta, metaSchema } from '../protocol/index.ts';
import { Attempt } from './attempt/attempt.ts';
import { openingDrafts } from './attempt/drafts.ts';
import { type PreparedRun, prepareRun as prepare } from './attempt/prepare-run.ts';
import type { ProgramEnd } from './attempt/programs/program.ts';
import { type TerminalControl, TerminalProgram } from './attempt/programs/terminal-program.ts';
import type { CompletionFacts } from './completion/completion.ts';
import { openJournal, type RunContext } from './context.ts';
import { prepareDataHome } from './data-home.ts';
import { prepareEngineHome } from './launch/engine-home.ts';
import {
  buildIsolatedEnv as buildEnvironment,
  hiderOf,
  managedFolders,
  type ProgramEnvironment,
  realPath,
} from './launch/isolated-environment.ts';
import { requireEngine } from './launch/known-engines.ts';
import { renderText, valuesWithoutPrompt } from './launch/launch-template.ts';
import { parseRunRequest, settleRequest } from './request/settle-request.ts';
import { skillFolderOf } from './skills/skill-folder.ts';
import { takeSkills } from './skills/take-skills.ts';
import { showHome, writeSkills } from './skills/write-skills.ts';
import { requestedOf } from './state/requested.ts';

/**
 * The steps of a run as separate functions, for programs that direct one themselves: `prepareRun`, `injectTrustAndSkills`,
 * `buildIsolatedEnv`, `runPtyWithTrace`, `writeMeta`. `supervise` performs all of them.
 */

const ENGINE = 'text';

export interface PrepareRunOptions {
  command: readonly string[];
  context: RunContext;
  /** Working folder and workspace (default: the run folder). */
  cwd?: string;
  /** Continue this run with another attempt. */
  run?: string;
  capture?: CaptureMode;
}

/** Creates or finds a run folder, and takes its lock. `writeMeta` releases the lock. */
export async function prepareRun(options: PrepareRunOptions): Promise<PreparedRun> {
  const { command, context, cwd = null, run = null, capture = 'split' } = options;
  prepareDataHome(context.home);
  return await prepare({
    engine: ENGINE,
    cwd,
    run,
    shownCommand: () => command,
    capture: { mode: capture, reason: 'requested', level: context.config.recording.level },
    home: context.home,
    openJournal: (folder) => openJournal(folder, context.config),
    marker: randomUUID(),
  });
}

/** The environment of an attempt, built from scratch: its own home, listed names, and `set`. */
export function buildIsolatedEnv(
  { record, attempt, folder }: PreparedRun,
  { config, env, home }: RunContext,
  set: Readonly<Record<string, string>> = {},
): ProgramEnvironment {
  const { inherit, pass, secret_names: secretNames } = config.environment;
  return buildEnvironment({
    base: env,
    inherit: [...inherit, ...pass],
    set: { TERM: config.terminal.term, ...set, TACHO_RUN_ID: folder.runId },
    secretNames,
    managed: managedFolders(home.managed, `${record.handle}.${attempt}`),
  });
}

export interface InjectionOptions {
  engine: string;
  context: RunContext;
  /** Names or mentions of skills for the engine (default: none). */
  skills?: 'all' | readonly string[];
}

/** What an engine gets before it starts. */
export interface Injected {
  skills: DeliveredSkill[];
  /** Variables by which the engine finds its home and the skills, for `buildIsolatedEnv`. */
  environment: Record<string, string>;
}

/**
 * Prepares an engine for a prepared run: trust in its workspace and the settings it needs, in the managed home, and copies of
 * skills that only this run's engine sees. Arguments are not part of it: claude and pi are led to skills by arguments, so
 * name the copies in their prompt.
 */
export async function injectTrustAndSkills(
  { record }: PreparedRun,
  { engine, context, skills = [] }: InjectionOptions,
): Promise<Injected> {
  const profile = requireEngine(engine, context);
  const wanted = { engine, prompt: engine, cwd: record.cwd, skills: skills === 'all' ? skills : [...skills] };
  const request = await takeSkills(settleRequest(parseRunRequest(wanted), context), context);
  const folder = skillFolderOf(context.home, record.handle);
  const delivered = await writeSkills(request, { folder, profile, context });
  const { home } = managedFolders(context.home.managed, record.handle);
  const hasSkills = delivered.length > 0;
  const places = { workspace: realPath(record.cwd), home };
  const values = { ...valuesWithoutPrompt(places), skills: hasSkills ? folder.root : null };
  await prepareEngineHome(profile, values);
  if (hasSkills) showHome(home, folder, profile);
  const { set, withSkills } = profile.environment;
  const variables = Object.entries({ ...set, ...(hasSkills ? withSkills : {}) });
  const environment = Object.fromEntries(variables.map(([name, value]) => [name, renderText(value, values)]));
  return { skills: delivered, environment };
}

export interface PtyRunOptions {
  run: PreparedRun;
  command: readonly string[];
  environment: ProgramEnvironment;
  context: RunContext;
  onStarted?(control: TerminalControl): void;
}

/** A command that has run, with all output recorded and its record still open. */
export interface PtyRun {
  exit_code: number | null;
  signal: string | null;
  /** For `analyzeCompletion`. */
  completionFacts: CompletionFacts;
  attempt: Attempt;
  end: ProgramEnd;
}

/**
 * Runs the command of a prepared run on its own terminals and records every byte. Resolves when all its processes have
 * ended.
 */
export async function runPtyWithTrace(options: PtyRunOptions): Promise<PtyRun> {
  const { run, command, environment, context, onStarted } = options;
  const { env, names, secrets } = environment;
  const { cols, rows } = context.config.terminal;
  const { limits } = context.config;
  const capture = run.record.live!.capture.mode;
  const hideSecrets = hiderOf(secrets);
  const profile = engineOf(ENGINE);
  const plan = { profile, mode: 'auto', markerRequired: false, conversation: false, hideSecrets } as const;
  const attempt = await Attempt.open(run, plan, context);
  attempt.onClose(() => fs.rmSync(env.TMPDIR!, { recursive: true, force: true }));
  await attempt.prepare(
    openingDrafts(attempt.drafts, attempt.now, null, { announced: false, requested: requestedOf(run.record) }),
  );
  attempt.facts.envNames = names;
  run.record.live = { ...run.record.live!, env_names: names, secret_names: secrets.map(({ name }) => name) };
  const program = new TerminalProgram({
    folder: run.folder,
    attempt: run.attempt,
    argv: command,
    cwd: run.record.cwd,
    env,
    temporary: env.TMPDIR!,
    cols,
    rows,
    echo: false,
    exclusive: false,
    capture,
    keepTrace: false,
    marker: run.record.live.marker,
    hideSecrets,
    lingerMs: limits.linger_ms,
    killGraceMs: limits.kill_grace_ms,
    onStarted: (control) => onStarted?.(control),
  });
  const mode = capture === 'merged' ? 'merged' : 'split';
  await attempt.start(program, { mode, header: { term: env.TERM!, cols, rows }, secrets });
  const end = await program.ended();
  const { exit_code, signal } = end;
  return { exit_code, signal, completionFacts: attempt.completionFacts(end), attempt, end };
}

/** Completes the record: workspace changes, last events, `meta.N.json`, the seal. Releases the lock. */
export async function writeMeta({ attempt, end }: Pick<PtyRun, 'attempt' | 'end'>): Promise<Meta> {
  const finished = await attempt.finish(end);
  if (!finished.sealed) throw finished.error;
  const { folder, attempt: number } = attempt.run;
  return metaSchema.parse(JSON.parse(readRegularFile(path.join(folder.audit, attemptFileNames(number).meta))));
}
