import { type Config, nearest } from '../config/index.ts';
import { mentionOf, SKILL_NAME_PATTERN, TachoError } from '../protocol/index.ts';
import { type Injection, injectSkills, wantedSkills } from './inject-skills.ts';
import { parseMention, type SkillReference } from './mention.ts';
import { checkPackage, type SkillPackage } from './package/check-package.ts';
import { collectFiles, holdText, skillText } from './package/collect-files.ts';
import type { PackageFiles } from './package/package-files.ts';
import { quoted } from './quoted.ts';
import { type LastScans, placesOf, type SkillScan, type SkillSpace, scanSpaces, withTimeout } from './scan-spaces.ts';
import { SKILL_FILE, type SkillMetadata, type SkillProblem } from './skill.ts';
import { listSkills } from './skill-list.ts';
import type { SkillFiles, SkillSource } from './skill-source.ts';

export type SkillSettings = Omit<Config['skills'], 'spaces' | 'sources'>;

export interface SkillLibraryOptions {
  spaces: readonly SkillSpace[];
  settings: SkillSettings;
  /** Milliseconds that never go back; for tests. */
  now?: () => number;
}

const NOTHING: SkillScan = { skills: new Map(), duplicates: new Map(), problems: [] };

/** The skills of all spaces. Owns its sources: close it. */
export class SkillLibrary {
  readonly #spaces: readonly SkillSpace[];
  readonly #sources: ReadonlyMap<string, SkillSource>;
  readonly #settings: SkillSettings;
  readonly #now: () => number;
  readonly #last: LastScans = new Map();
  #scan: { result: SkillScan; at: number } | null = null;
  #running: Promise<SkillScan> | null = null;

  constructor({ spaces, settings, now = () => performance.now() }: SkillLibraryOptions) {
    this.#spaces = spaces;
    this.#sources = new Map(spaces.flatMap(({ sources }) => sources.map((source) => [source.id, source] as const)));
    this.#settings = settings;
    this.#now = now;
  }

  /** Asks all sources now, whatever `skills.refresh` says. */
  async scan(): Promise<SkillScan> {
    // One that is running may have missed a change made before this call.
    await this.#running;
    return await this.#scanOnce();
  }

  /** The present skills, after a scan where `skills.refresh` wants one. */
  async current(): Promise<SkillScan> {
    if (this.#isFresh()) return this.#scan?.result ?? NOTHING;
    return await this.#scanOnce();
  }

  /** The list of skills for a prompt; empty if injection is switched off. */
  async list(): Promise<string> {
    if (this.#settings.inject === 'off') return '';
    const { skills } = await this.current();
    return listSkills([...skills.values()], this.#settings.list_max_chars);
  }

  /**
   * One skill by a mention, or by a name that only one namespace has. Throws SKILL_MENTION_INVALID, SKILL_UNKNOWN,
   * SKILL_SPACE_NOT_CONFIGURED, SKILL_DUPLICATE_NAME or SKILL_AMBIGUOUS.
   */
  async find(argument: string): Promise<SkillMetadata> {
    const scan = await this.current();
    if (!SKILL_NAME_PATTERN.test(argument)) return this.#find(parseMention(argument), scan);
    const mentions = [...scan.skills.keys(), ...scan.duplicates.keys()].filter((one) => one.endsWith(`].${argument}`));
    if (mentions.length > 1) throw ambiguous(argument, mentions);
    if (mentions.length === 0) throw unknown(argument, scan, this.#settings);
    return this.#find(parseMention(mentions[0]!), scan);
  }

  /**
   * Reads the texts of the mentioned skills, for a prompt. `mentioned` is free text, or a list of skills. Nothing if
   * injection is switched off.
   */
  async inject(
    mentioned: string | readonly SkillReference[],
    { env }: { env: Readonly<Record<string, string | undefined>> },
  ): Promise<Injection> {
    const wanted = wantedSkills(mentioned);
    if (this.#settings.inject === 'off' || wanted.length === 0) return { injected: [], refused: [] };
    const scan = await this.current();
    const { source_timeout_ms, body_max_bytes, inject_max_bytes } = this.#settings;
    const find = (reference: SkillReference) => {
      const skill = this.#find(reference, scan);
      return { skill, source: this.#sourceOf(skill) };
    };
    const limits = { timeoutMs: source_timeout_ms, bodyMaxBytes: body_max_bytes, totalMaxBytes: inject_max_bytes };
    return await injectSkills(wanted, find, { env, limits });
  }

  /** The text of a skill, fetched now. */
  async readBody(skill: SkillMetadata): Promise<string> {
    const source = this.#sourceOf(skill);
    const { source_timeout_ms, body_max_bytes } = this.#settings;
    return await withTimeout(source.id, source_timeout_ms, (signal) =>
      source.readBody(skill, { signal, maxBytes: body_max_bytes }),
    );
  }

  /** Scripts, references and other files of a skill, fetched now. */
  async readFiles(skill: SkillMetadata): Promise<SkillFiles | null> {
    const source = this.#sourceOf(skill);
    return await withTimeout(source.id, this.#settings.source_timeout_ms, (signal) =>
      source.readFiles(skill, { signal }),
    );
  }

  /**
   * The package of a skill, fetched and checked now. Throws the first error of the check, which names the file and the
   * line.
   */
  async readPackage(skill: SkillMetadata): Promise<SkillPackage> {
    const { skill: found, problems } = await this.checkPackage(skill);
    if (found) return found;
    throw unusable(skill, problems);
  }

  /** All files of a skill, fetched now, and what a check finds. The package is null if one of the problems is an error. */
  async checkPackage(
    skill: SkillMetadata,
  ): Promise<{ files: PackageFiles; skill: SkillPackage | null; problems: SkillProblem[] }> {
    const given = await this.readFiles(skill);
    const files = new Map(await collectFiles(given));
    if (!holdText(given)) {
      const bytes = Buffer.from(skillText(skill, await this.readBody(skill)));
      files.set(SKILL_FILE, { bytes, isExecutable: false });
    }
    return { files, ...(await checkPackage(files, skill.name)) };
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sources.values()].map((source) => source.close()));
  }

  #scanOnce(): Promise<SkillScan> {
    this.#running ??= this.#scanNow().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #scanNow(): Promise<SkillScan> {
    const at = this.#now();
    const result = await scanSpaces(this.#spaces, { timeoutMs: this.#settings.source_timeout_ms, last: this.#last });
    this.#scan = { result, at };
    return result;
  }

  #isFresh(): boolean {
    switch (this.#settings.refresh) {
      case 'always':
        return false;
      case 'manual':
        return true;
      case 'ttl':
        return this.#scan !== null && this.#now() - this.#scan.at < this.#settings.ttl_ms;
    }
  }

  #find(reference: SkillReference, scan: SkillScan): SkillMetadata {
    const mention = mentionOf(reference);
    const skill = scan.skills.get(mention);
    if (skill) return skill;
    const same = scan.duplicates.get(mention);
    if (same) throw duplicate(mention, same);
    const space = this.#spaces.find(({ namespace }) => namespace === reference.namespace);
    if (!space?.enabled) throw notConfigured(reference, this.#spaces);
    throw unknown(mention, scan, this.#settings);
  }

  #sourceOf({ source }: SkillMetadata): SkillSource {
    return this.#sources.get(source)!;
  }
}

function unusable(skill: SkillMetadata, problems: readonly SkillProblem[]): TachoError {
  const { code, message, fix, file, line } = problems.find(({ severity }) => severity === 'error')!;
  const place = file === undefined ? '' : `${file}:${line ?? 1}: `;
  return new TachoError(code, `${mentionOf(skill)} cannot be used: ${place}${message}`, {
    facts: { namespace: skill.namespace, name: skill.name, location: skill.location, file, line },
    fix,
  });
}

/** `name` is a name or a mention. A skill that is there and cannot be used is reported as such. */
function unknown(name: string, { skills, problems }: SkillScan, { refresh }: SkillSettings): TachoError {
  const problem = problems.find(({ severity, file }) => severity === 'error' && isFileOf(name, file));
  if (problem) {
    const { code, message, fix, file, line } = problem;
    const place = line === undefined ? file : `${file}:${line}`;
    return new TachoError(code, `${place}: ${message}`, { facts: { skill: name, file, line }, fix });
  }
  const ignored = problems.some(({ code }) => code === 'SKILL_NOT_TRUSTED');
  const untrusted = ignored ? '. Skills of this folder are ignored until you trust them: tacho trust' : '';
  const known = [...skills].map(([mention, skill]) => ({ word: name.startsWith('$') ? mention : skill.name }));
  const near = nearest(name, known)?.word;
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  const manual = refresh === 'manual' ? '. skills.refresh is manual, so new ones count only after a scan.' : '';
  return new TachoError('SKILL_UNKNOWN', `there is no skill ${quoted(name)}`, {
    facts: { skill: name },
    fix: `${meant}List the skills with: tacho skills list${manual}${untrusted}`,
  });
}

/** Its folder has the name of the skill. */
function isFileOf(name: string, file = ''): boolean {
  const [folder] = file.split('/').slice(-2);
  return folder === name.replace(/^.*\]\./, '');
}

function ambiguous(name: string, mentions: readonly string[]): TachoError {
  return new TachoError('SKILL_AMBIGUOUS', `several namespaces have a skill ${name}: ${mentions.join(', ')}`, {
    facts: { name, mentions },
    fix: 'Name the one you mean by its mention.',
  });
}

function duplicate(mention: string, same: readonly SkillMetadata[]): TachoError {
  return new TachoError('SKILL_DUPLICATE_NAME', `${mention} exists ${same.length} times: ${placesOf(same)}`, {
    facts: { mention, locations: same.map(({ location }) => location) },
    fix: 'Rename or remove all but one, or put them into different namespaces.',
  });
}

function notConfigured({ namespace }: SkillReference, spaces: readonly SkillSpace[]): TachoError {
  const isDisabled = spaces.some((space) => space.namespace === namespace);
  const known = spaces.filter(({ enabled }) => enabled).map((space) => space.namespace);
  const what = isDisabled ? 'is disabled' : 'is not configured';
  return new TachoError('SKILL_SPACE_NOT_CONFIGURED', `the namespace ${namespace} ${what}`, {
    facts: { namespace, known },
    fix: isDisabled
      ? 'Set enabled of its entry in skills.spaces to true.'
      : `Add it to skills.spaces. Namespaces are: ${known.join(', ') || 'none'}`,
  });
}
