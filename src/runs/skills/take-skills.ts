import {
  mentionOf,
  type SkippedSkill as RecordedSkip,
  type SettledRequest,
  TachoError,
  type TakenPackage,
} from '../../protocol/index.ts';
import type { SkillLibrary, SkillMetadata } from '../../skills/index.ts';
import type { RunContext } from '../context.ts';
import { packagesFolder } from '../data-home.ts';
import { engineOfRequest } from '../launch/known-engines.ts';
import { checkInput } from './check-input.ts';
import { type CheckedSkill, checkSkill, promptFor, versionOf } from './check-skill.ts';
import { withOneOfEachName } from './same-names.ts';

/** Copies of more skills, or larger ones, would take longer than the run. */
const MAX_SKILLS = 500;
const MAX_BYTES = 256 * 1024 * 1024;
/** Of why a skill is left out, in the record of the run. */
const MAX_REASON_CHARS = 300;

/** A skill that is left out of `all`, or of those that the prompt mentions, and why. */
export interface SkippedSkill {
  mention: string;
  error: TachoError;
}

/**
 * Finds and checks the skills of a request and keeps their packages, so that all attempts of the run use the same bytes.
 * The process that accepts the request does this once: a request that names its packages stays as it is.
 */
export async function takeSkills(
  request: SettledRequest,
  context: RunContext,
  onSkipped: (skipped: SkippedSkill) => void = () => {},
): Promise<SettledRequest> {
  const { skill } = request;
  const skills = extrasOf(request, context);
  if ((skill === undefined && skills === 'none') || request.packages !== undefined) return request;
  const { hashPackage, keepPackage, openLocalSkills, readSkillTexts } = await import('../../skills/index.ts');
  const workspaceRoot = request.cwd ?? process.cwd();
  // A text that cannot be used is reported now, not by the attempt that needs it.
  if (skill !== undefined) readSkillTexts({ settings: context.config.skills, workspaceRoot });
  const library = openLocalSkills({
    // With `manual`, nothing else would ask the sources.
    settings: { ...context.config.skills, refresh: 'always' },
    workspaceRoot,
    dataFolder: context.home.root,
    env: context.env,
  });
  try {
    const profile = engineOfRequest(request, context)!;
    const check = (metadata: SkillMetadata) => checkSkill(metadata, { library, request, profile });
    const main = skill === undefined ? null : await check(await library.find(skill));
    const { manifest } = main?.package ?? {};
    if (main) await checkMain(main, request);
    const left: SkippedSkill[] = [];
    const skip = (skipped: SkippedSkill) => {
      left.push(skipped);
      onSkipped(skipped);
    };
    const extras = await findExtras(library, { skills, prompt: request.prompt ?? '', main, check, onSkipped: skip });
    const skipped = left.length === 0 ? {} : { skipped_skills: left.map(asRecorded) };
    if (main === null && extras.length === 0 && skills === 'mentioned') return { ...request, ...skipped };
    const asTaken = ({ metadata, package: found }: CheckedSkill, role: TakenPackage['role']): TakenPackage => ({
      role,
      namespace: metadata.namespace,
      name: found.name,
      version: versionOf(found),
      sha256: hashPackage(found.files),
      location: metadata.location,
      ...(role === 'main' ? promptFor(found, profile) : {}),
    });
    const packages = [...(main ? [asTaken(main, 'main')] : []), ...extras.map((extra) => asTaken(extra, 'extra'))];
    for (const { package: found } of main ? [main, ...extras] : extras)
      await keepPackage(packagesFolder(context.home), found.files);
    const max_attempts = request.limits.max_attempts ?? manifest?.max_attempt;
    const limits = max_attempts === undefined ? request.limits : { ...request.limits, max_attempts };
    return { ...request, limits, packages, ...skipped };
  } finally {
    await library.close();
  }
}

function asRecorded({ mention, error: { code, message } }: SkippedSkill): RecordedSkip {
  return { skill: mention, code, message: message.slice(0, MAX_REASON_CHARS) };
}

type Extras = NonNullable<SettledRequest['skills']> | 'mentioned';

/** Which further skills the run wants. */
function extrasOf({ skills, prompt = '' }: SettledRequest, { config }: RunContext): Extras {
  const isOff = config.skills.inject === 'off';
  if (skills === undefined) return !isOff && prompt.includes('$[') ? 'mentioned' : 'none';
  if (isOff && skills !== 'none') throw switchedOff();
  return skills;
}

async function checkMain(main: CheckedSkill, request: SettledRequest): Promise<void> {
  const { execution_modes: modes } = main.package.manifest;
  if (!modes.includes(request.mode)) {
    const mention = mentionOf(main.metadata);
    throw new TachoError('SKILL_MODE_UNSUPPORTED', `${mention} cannot be used in mode ${request.mode}`, {
      facts: { skill: mention, mode: request.mode, modes },
      fix: `Use mode ${modes.join(' or ')}.`,
    });
  }
  await checkInput(main, request);
}

interface WantedExtras {
  skills: Extras;
  prompt: string;
  main: CheckedSkill | null;
  check(metadata: SkillMetadata): Promise<CheckedSkill>;
  onSkipped(skipped: SkippedSkill): void;
}

/** Each one that is named has to be usable; of all, and of those that a prompt mentions, others are left out. */
async function findExtras(library: SkillLibrary, wanted: WantedExtras): Promise<CheckedSkill[]> {
  const { skills, prompt, main, check, onSkipped } = wanted;
  if (skills === 'none') return [];
  const mentions = new Map<string, SkillMetadata>();
  for (const metadata of await findWanted(library, skills, prompt)) mentions.set(mentionOf(metadata), metadata);
  if (main) mentions.delete(mentionOf(main.metadata));
  if (mentions.size > MAX_SKILLS) throw tooMany(mentions.size);
  const skip =
    skills === 'all' || skills === 'mentioned'
      ? (metadata: SkillMetadata, error: TachoError) => onSkipped({ mention: mentionOf(metadata), error })
      : (_: SkillMetadata, error: TachoError) => {
          throw error;
        };
  const extras: CheckedSkill[] = [];
  let bytes = 0;
  for (const metadata of withOneOfEachName([...mentions.values()], main?.metadata ?? null, skip)) {
    try {
      const extra = await check(metadata);
      for (const file of extra.package.files.values()) bytes += file.bytes.length;
      extras.push(extra);
    } catch (error) {
      if (!(error instanceof TachoError)) throw error;
      skip(metadata, error);
    }
    if (bytes > MAX_BYTES) throw tooLarge();
  }
  return extras;
}

async function findWanted(
  library: SkillLibrary,
  wanted: Exclude<Extras, 'none'>,
  prompt: string,
): Promise<SkillMetadata[]> {
  if (Array.isArray(wanted)) {
    const found: SkillMetadata[] = [];
    for (const name of wanted) found.push(await library.find(name));
    return found;
  }
  const { skills } = await library.current();
  if (wanted === 'all') return [...skills.values()];
  const { findMentions } = await import('../../skills/index.ts');
  // A mention of something else is text.
  return findMentions(prompt).flatMap((mention) => skills.get(mentionOf(mention)) ?? []);
}

function switchedOff(): TachoError {
  return new TachoError('INVALID_REQUEST', 'skills: the configuration has switched off the injection of skills', {
    facts: { field: 'skills' },
    fix: 'Leave skills out, or set skills.inject to mentioned. The skill of a run (skill) can be used all the same.',
  });
}

function tooMany(count: number): TachoError {
  return new TachoError('SKILL_BUDGET_EXCEEDED', `${count} skills are too many for a run; the limit is ${MAX_SKILLS}`, {
    facts: { count, limit: MAX_SKILLS },
    fix: 'Name the skills that the run needs.',
  });
}

function tooLarge(): TachoError {
  return new TachoError('SKILL_BUDGET_EXCEEDED', `the skills of the run have more than ${MAX_BYTES} bytes`, {
    facts: { limit: MAX_BYTES },
    fix: 'Name the skills that the run needs.',
  });
}
