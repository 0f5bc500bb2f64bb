import { mentionOf, TachoError } from '../protocol/index.ts';
import { onOneLine } from './quoted.ts';
import type { SkillMetadata, SkillProblem } from './skill.ts';
import type { SkillSource, SourceScan } from './skill-source.ts';
import { sourceUnavailable } from './source-errors.ts';

/** A namespace, and where its skills come from. */
export interface SkillSpace {
  namespace: string;
  enabled: boolean;
  sources: readonly SkillSource[];
}

/** The last answer of each source for a namespace, used while the source cannot be reached. */
export type LastScans = Map<string, SourceScan>;

/** What is known about all skills after a scan. */
export interface SkillScan {
  /** By mention. */
  skills: ReadonlyMap<string, SkillMetadata>;
  /** Skills that share their mention with another one, so that none of them can be used. */
  duplicates: ReadonlyMap<string, readonly SkillMetadata[]>;
  problems: readonly SkillProblem[];
}

const MAX_PROBLEMS = 1000;

/** Scans all sources at the same time. A source that fails or takes too long is a problem, never an error. */
export async function scanSpaces(
  spaces: readonly SkillSpace[],
  { timeoutMs, last }: { timeoutMs: number; last: LastScans },
): Promise<SkillScan> {
  const enabled = spaces.filter((space) => space.enabled);
  const scans = await Promise.all(
    enabled.flatMap(({ namespace, sources }) =>
      sources.map((source) => scanSource(source, namespace, { timeoutMs, last })),
    ),
  );
  const found = new Map<string, SkillMetadata[]>();
  for (const skill of scans.flatMap(({ skills }) => skills)) {
    const mention = mentionOf(skill);
    const same = found.get(mention);
    if (same) same.push(skill);
    else found.set(mention, [skill]);
  }
  const skills = new Map<string, SkillMetadata>();
  const duplicates = new Map<string, SkillMetadata[]>();
  for (const [mention, same] of found) {
    if (same.length === 1) skills.set(mention, same[0]!);
    else duplicates.set(mention, same);
  }
  const problems = [
    ...scans.flatMap((scan) => scan.problems),
    ...[...duplicates].map(([mention, same]) => duplicateProblem(mention, same)),
  ];
  return { skills, duplicates, problems: limited(problems) };
}

async function scanSource(
  source: SkillSource,
  namespace: string,
  { timeoutMs, last }: { timeoutMs: number; last: LastScans },
): Promise<SourceScan> {
  const key = `${source.id} ${namespace}`;
  try {
    const scan = await withTimeout(source.id, timeoutMs, (signal) => source.scan(namespace, { signal }));
    last.set(key, scan);
    return scan;
  } catch (error) {
    const known = last.get(key);
    const { message, fix } = asUnavailable(source.id, error);
    const used = known ? `; the ${known.skills.length} skills of the last scan are listed` : '';
    return {
      skills: known?.skills ?? [],
      problems: [
        ...(known?.problems ?? []),
        {
          code: 'SKILL_SOURCE_UNAVAILABLE',
          severity: 'warning',
          message: `${message}${used}`,
          fix: fix!,
          source: source.id,
        },
      ],
    };
  }
}

/** Fails with SKILL_SOURCE_UNAVAILABLE after the time, even if the source ignores the signal. */
export async function withTimeout<T>(
  sourceId: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(sourceUnavailable(sourceId, `it did not answer within ${timeoutMs} ms`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whatever a source rejects with. Its own errors keep their code. */
export function asUnavailable(sourceId: string, error: unknown): TachoError {
  if (error instanceof TachoError) return error;
  return sourceUnavailable(sourceId, error instanceof Error ? onOneLine(error.message) : String(error), error);
}

function duplicateProblem(mention: string, same: readonly SkillMetadata[]): SkillProblem {
  return {
    code: 'SKILL_DUPLICATE_NAME',
    severity: 'error',
    message: `${mention} exists ${same.length} times, so none of them can be used: ${placesOf(same)}`,
    fix: 'Rename or remove all but one, or put them into different namespaces.',
  };
}

/** Both places of a repeated skill, or all of them. */
export function placesOf(same: readonly SkillMetadata[]): string {
  return same.map(({ location, source }) => `${location} (source ${source})`).join(' and ');
}

function limited(problems: readonly SkillProblem[]): readonly SkillProblem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const [first] = problems;
  const more = problems.length - MAX_PROBLEMS;
  return [
    ...problems.slice(0, MAX_PROBLEMS),
    { ...first!, message: `and ${more} more problems`, fix: 'Fix those above first.' },
  ];
}
