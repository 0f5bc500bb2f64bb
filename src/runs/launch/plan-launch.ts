import path from 'node:path';
import { type EngineProfile, engineOf, isEngineArguments, readerOf, unparsed, type Word } from '../../engines/index.ts';
import { type SettledRequest, TachoError } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { approvalsFolder } from '../data-home.ts';
import type { AttemptOrder } from '../request/attempt-order.ts';
import { checkPrompt } from '../request/check-prompt.ts';
import { composeMessage } from '../skills/compose-message.ts';
import { skillFolderOf } from '../skills/skill-folder.ts';
import { type EnginePlaces, type EngineProgram, requireEngineProgram } from './engine-program.ts';
import { profileForVersion } from './engine-version.ts';
import { realPath } from './isolated-environment.ts';
import { engineOfRequest } from './known-engines.ts';
import { type LaunchValues, renderText, renderWords, valuesWithoutPrompt } from './launch-template.ts';

/**
 * How a request becomes a process. The workspace is known last: it may be the run folder, which does not exist yet. So is
 * the handle of the run, of which the folder of its skills is made.
 */
export interface LaunchPlan {
  profile: EngineProfile;
  /** The engine's program; null for a plain command. */
  program: EngineProgram | null;
  /** The message to the engine; null for a command. */
  message(handle?: string): string | null;
  values(workspace: string, handle?: string): LaunchValues;
  argv(workspace: string, handle?: string): string[];
  /** Variables that the engine needs; those of the request override them. */
  environment(workspace: string, handle?: string): Record<string, string>;
}

/** As long as any other, for checks before the run exists. */
const NO_HANDLE = '00000000';

/** A local model server needs no key, but engines require one. Too short to count as a secret. */
const PLACEHOLDER = 'local';

/** Rejects requests that cannot be started, before anything is written. */
export function planLaunch(request: SettledRequest, order: AttemptOrder, context: RunContext): LaunchPlan {
  const current = engineOfRequest(request, context);
  if (request.engine === undefined || current === null) return planCommand(request, current);
  const { session } = order;
  const { model = null, base_url = null, mode } = request;
  const message = (handle = NO_HANDLE) =>
    order.text ?? composeMessage(request, skillFolderOf(context.home, handle), current.runSkills?.mark);
  checkPrompt(message(), bytesBesidePrompt(session === null ? current.start : (current.resume ?? [])));
  const places = { ...enginePlaces(context, request.env.PATH), workspace: request.cwd ?? null };
  const program = requireEngineProgram(current, places);
  const profile = profileForVersion(current, program.version);
  const words = session === null ? profile.start : profile.resume;
  const format = chooseFormat(profile, request.format ?? null);
  if (words === null) {
    throw new TachoError('SESSION_UNKNOWN', `${profile.title} cannot continue a session`, {
      facts: { engine: profile.name },
      fix: 'Start a new run instead.',
    });
  }
  refuseUnused(request, profile, words);
  const values = (workspace: string, handle = NO_HANDLE): LaunchValues => ({
    prompt: message(handle),
    session,
    model,
    base_url,
    format,
    mode,
    approvals: approvalsFolder(context.home),
    // Engines that trust folders identify them by their real paths.
    workspace: realPath(workspace),
    data: context.home.root,
    home: managedHome(context),
    skills: hasSkills(request) ? skillFolderOf(context.home, handle).root : null,
  });
  return {
    profile: request.parse ? profile : unparsed(profile),
    program,
    message,
    values,
    argv: (workspace, handle) => [
      program.path,
      ...program.before,
      ...renderWords(words, values(workspace, handle), request.engine_args),
    ],
    environment(workspace, handle) {
      const { set, withBaseUrl, withSkills } = profile.environment;
      const wanted = { ...set, ...(base_url === null ? {} : withBaseUrl), ...(hasSkills(request) ? withSkills : {}) };
      const rendered = Object.entries(wanted).map(([name, value]) => [
        name,
        renderText(value, values(workspace, handle)),
      ]);
      const key = profile.placeholderKey;
      const keyMissing = key !== null && base_url !== null && !request.env[key];
      return { ...(keyMissing ? { [key]: PLACEHOLDER } : {}), ...Object.fromEntries(rendered) };
    },
  };
}

function hasSkills({ packages = [] }: SettledRequest): boolean {
  return packages.length > 0;
}

export function managedHome(context: RunContext): string {
  return path.join(context.home.managed, 'home');
}

export function enginePlaces(context: RunContext, searchPath = context.env.PATH ?? ''): EnginePlaces {
  const { folder } = context.config.engines;
  return {
    enginesFolder: folder === '' ? context.home.engines : path.resolve(folder),
    searchPath,
  };
}

/** `readAs` is the engine whose format the command prints; null for plain text. */
function planCommand({ command, parse }: SettledRequest, readAs: EngineProfile | null): LaunchPlan {
  const values = (workspace: string): LaunchValues => valuesWithoutPrompt({ workspace, home: '' });
  return {
    profile: readAs && parse ? readerOf(readAs) : engineOf('text'),
    program: null,
    message: () => null,
    values,
    argv: () => [...command!],
    environment: () => ({}),
  };
}

/** A defined engine may have no place for a value, which would be dropped without a word. */
function refuseUnused(request: SettledRequest, profile: EngineProfile, words: readonly Word[]): void {
  if (profile.definition === undefined) return;
  const { environment, files } = profile;
  const templates = JSON.stringify([words, environment.set, environment.withBaseUrl, files]);
  const isUsed = (name: string) => templates.includes(`{${name}`) || templates.includes(`"when":"${name}`);
  const hasBaseUrl = isUsed('base_url') || Object.keys(environment.withBaseUrl).length > 0;
  const unused = [
    ...(request.model !== undefined && !isUsed('model') ? ['model'] : []),
    ...(request.base_url !== undefined && !hasBaseUrl ? ['base_url'] : []),
    ...(request.engine_args.length > 0 && !words.some(isEngineArguments) ? ['engine_args'] : []),
  ];
  const [first] = unused;
  if (first === undefined) return;
  throw new TachoError('USAGE', `${profile.title} has no place for ${first}`, {
    facts: { engine: profile.name, unused },
    fix: `Leave it out, or put {${first}} into engines.${profile.name}.start.`,
  });
}

/** Text in the same argument as the prompt, such as `--prompt=`, reduces the room for it. */
function bytesBesidePrompt(words: readonly Word[]): number {
  const texts = words.flatMap((word) => (typeof word === 'string' ? [word] : 'words' in word ? word.words : []));
  const around = texts.filter((word) => word.includes('{prompt}'));
  return Math.max(0, ...around.map((word) => Buffer.byteLength(word) - '{prompt}'.length));
}

function chooseFormat(profile: EngineProfile, asked: string | null): string | null {
  const { formats } = profile;
  if (asked === null) return formats?.[0] ?? null;
  if (formats?.includes(asked)) return asked;
  throw new TachoError('USAGE', `${profile.title} has no output format "${asked}"`, {
    facts: { engine: profile.name, formats },
    fix: formats ? `Formats: ${formats.join(', ')}` : 'It has only one; leave --format out.',
  });
}
