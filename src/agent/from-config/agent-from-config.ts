import path from 'node:path';
import type { Approver } from '../../approvals/index.ts';
import { nameMatcher, realFolder, type SessionSettings } from '../../config/index.ts';
import type { OpenCommandsOptions, RuntimeParts } from '../../tools/index.ts';
import { Agent } from '../agent.ts';
import type { AgentOptions, Secret } from '../options.ts';
import type { AgentSettings } from './agent-settings.ts';
import { approverFromSettings } from './approver-from-settings.ts';
import { requirePrices } from './check-prices.ts';
import { modelsFromSettings } from './models-from-settings.ts';
import { policyFromSettings } from './policy-from-settings.ts';
import { type ResolveSettingsOptions, resolveAgentSettings } from './resolve-settings.ts';
import { sourcesFromSettings } from './sources-from-settings.ts';
import { toolsFromSettings } from './tools-from-settings.ts';

/** Shorter values are too common in ordinary text to be masked. */
const MIN_SECRET_LENGTH = 6;

export interface AgentFromConfigOptions<Output = string> extends ResolveSettingsOptions {
  /** Replaces what the configuration says, option by option. */
  override?: Partial<AgentOptions<Output>> | undefined;
  /**
   * For `safety.approver: terminal`. Without it, a call that has to be asked about ends the run; with `later`, the run
   * waits for a decision.
   */
  terminal?: Approver | 'later' | undefined;
  /** Makes the runtime of the workspace; child agents are configured like this one. */
  runtime?: ((place: RuntimePlace) => RuntimeParts) | undefined;
  /** No one answers questions, whatever `safety.approver` is. */
  unattended?: boolean | undefined;
  /** For an agent that a recorded run has started. */
  ofRun?: RunFolders | undefined;
}

/** Folders of a recorded run, below the data folder. */
export interface RunFolders {
  /** Its skills, which the agent finds as `$[run].name`. */
  skills?: string | undefined;
  /** Where its skill puts the files it makes; commands may write there. */
  artifacts?: string | undefined;
}

/** The workspace of a runtime, and what its child agents are configured with. */
export interface RuntimePlace {
  workspaceRoot: string;
  /** The data folder. */
  home: string;
  session: readonly SessionSettings[];
  env: Readonly<Record<string, string>>;
  /** What commands of the agent can reach, and its terminals too. */
  sandbox: OpenCommandsOptions;
}

/** An agent with its settings. Its runs are registered with the data folder, unless `override` says otherwise. */
export interface ConfiguredAgent<Output = string> {
  agent: Agent<Output>;
  /** With what the workspace wanted in vain, for display. */
  settings: AgentSettings;
}

/**
 * The bridge from files to `new Agent(…)`: reads the configuration of the workspace, as far as it is trusted, and of the
 * user. Throws CONFIG_…, CREDENTIALS_MISSING and POLICY_INVALID.
 */
export async function agentFromConfig<Output = string>(
  workspaceRoot: string,
  options: AgentFromConfigOptions<Output> = {},
): Promise<ConfiguredAgent<Output>> {
  const { env = process.env, override = {}, terminal, unattended = false, ofRun = {} } = options;
  const settings = resolveAgentSettings(workspaceRoot, options);
  const models = override.model === undefined ? modelsFromSettings(settings) : { model: override.model };
  requirePrices(settings, [models.model.id, ...(override.planner ? [override.planner.id] : [])]);
  const skills = override.skills ?? (await skillsOf(settings, env, ofRun));
  const { profile, network, read, write } = settings.sandbox;
  const sandbox = {
    profile,
    network: network ?? undefined,
    read,
    write: ofRun.artifacts === undefined ? write : [...write, ofRun.artifacts],
    dataFolder: settings.dataFolder,
    path: env.PATH,
  };
  const place = { workspaceRoot: settings.workspaceRoot, ...sandbox };
  const runtime = override.runtime ?? options.runtime?.(runtimePlace(settings, options, place));
  const agent = new Agent<Output>({
    ...models,
    policy: override.policy ?? (await policyFromSettings(settings, { openPaths: openPaths(settings, ofRun) })),
    tools: override.tools ?? (await toolsFromSettings(settings, { runtime })),
    toolSources: await sourcesFromSettings(settings),
    approvals: approverFromSettings(settings, terminal),
    human: settings.approver === 'later' && !unattended ? 'later' : undefined,
    prompt: {
      template: settings.prompt.template,
      system: settings.prompt.system ?? undefined,
      developer: settings.prompt.developer,
    },
    budgets: settings.budgets,
    settings: settings.loop,
    limits: { timeoutMs: settings.tools.timeout_ms, maxOutputBytes: settings.tools.max_output_bytes },
    sandbox,
    env: {
      ...variablesOf(env, settings.inherit),
      ...(ofRun.artifacts === undefined ? {} : { TACHO_ARTIFACTS: ofRun.artifacts }),
    },
    secrets: secretsOf(settings, env),
    register: { dataFolder: settings.dataFolder },
    ...definedOnly(override),
    ...(runtime ? { runtime } : {}),
    skills,
    workspaceRoot: settings.workspaceRoot,
  });
  return { agent, settings };
}

function runtimePlace(
  { workspaceRoot, dataFolder: home }: AgentSettings,
  { env = process.env, session = [] }: ResolveSettingsOptions,
  sandbox: RuntimePlace['sandbox'],
): RuntimePlace {
  // The marker of a terminal session that this program runs in is not that of its children.
  const { TACHO_MARKER: _, ...inherited } = definedOnly(env) as Record<string, string>;
  return { workspaceRoot, home, env: inherited, session: 'name' in session ? [session] : session, sandbox };
}

/** In a data folder: where the program of a run works. */
const WORK_FOLDER = /^runs\/[^/]+\/work(?:\/|$)/;

/** Folders of the run below the data folder, which is protected otherwise. */
function openPaths({ workspaceRoot, dataFolder }: AgentSettings, { artifacts }: RunFolders): string[] {
  const isInRun = WORK_FOLDER.test(path.relative(realFolder(dataFolder), workspaceRoot));
  return [...(isInRun ? [workspaceRoot] : []), ...(artifacts === undefined ? [] : [artifacts])];
}

async function skillsOf(
  { skills: settings, workspaceRoot, dataFolder }: AgentSettings,
  env: Environment,
  { skills }: RunFolders,
) {
  const { openLocalSkills } = await import('../../skills/index.ts');
  return openLocalSkills({ settings, workspaceRoot, dataFolder, env, runSkills: skills });
}

type Environment = Readonly<Record<string, string | undefined>>;

function variablesOf(env: Environment, patterns: readonly string[]): Record<string, string> {
  const isListed = nameMatcher(patterns);
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value && isListed(name) ? [[name, value]] : [])),
  );
}

/** Keys that the settings name, and all variables that are secret by their names. */
function secretsOf({ secrets, secretNames }: AgentSettings, env: Environment): Secret[] {
  const named = Object.entries(variablesOf(env, secretNames)).map(([name, value]) => ({ name, value }));
  const keys = secrets.map((key) => ({ name: key.name, value: key.reveal() }));
  const all = new Map([...named, ...keys].map((secret) => [secret.name, secret]));
  return [...all.values()].filter(({ value }) => value.length >= MIN_SECRET_LENGTH);
}

/** An option that is given as undefined leaves the configuration in effect. */
function definedOnly<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
