import type { SkillMetadata } from './skill.ts';
import { cut } from './skill-fields.ts';

type Listed = Pick<SkillMetadata, 'namespace' | 'name' | 'description'>;

const HEADING =
  'Skills: instructions for certain tasks. To use one, mention it as $[namespace].name, for example when a task fits its description.';
/** A shorter beginning of a description says nothing; the skill is then listed by its name alone. */
const MIN_DESCRIPTION_CHARS = 24;

/**
 * The list of skills for a prompt, grouped by namespace, in at most `maxChars` characters. When it does not fit, the
 * longest descriptions are cut first, all to the same length; then all are left out. Names are left out last, an equal
 * number in each namespace, and the list says how many. Empty if there is no room or no skill.
 */
export function listSkills(skills: readonly Listed[], maxChars: number): string {
  if (skills.length === 0 || maxChars <= 0) return '';
  const groups = groupByNamespace(skills);
  const bare = render(groups, 0);
  if (bare.length > maxChars) return listFewerNames(groups, maxChars);
  const longest = skills.reduce((most, { description }) => Math.max(most, description.length), 0);
  const length = largest(longest, (chars) => render(groups, chars).length <= maxChars);
  return length >= longest || length >= MIN_DESCRIPTION_CHARS ? render(groups, length) : bare;
}

type Groups = ReadonlyMap<string, readonly Listed[]>;

function groupByNamespace(skills: readonly Listed[]): Groups {
  const groups = new Map<string, Listed[]>();
  for (const skill of [...skills].sort(byNames)) {
    const group = groups.get(skill.namespace);
    if (group) group.push(skill);
    else groups.set(skill.namespace, [skill]);
  }
  return groups;
}

function byNames(one: Listed, other: Listed): number {
  if (one.namespace !== other.namespace) return one.namespace < other.namespace ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

/** All names, and at most `chars` characters of each description. */
function render(groups: Groups, chars: number, omitted = 0): string {
  const lines = [HEADING];
  for (const [namespace, skills] of groups) {
    lines.push(`[${namespace}]`, ...skills.map(({ name, description }) => renderSkill(name, description, chars)));
  }
  if (omitted > 0) lines.push(`(and ${omitted} more, which can be mentioned too)`);
  return lines.join('\n');
}

function renderSkill(name: string, description: string, chars: number): string {
  if (chars === 0 || description === '') return `- ${name}`;
  return `- ${name}: ${description.length <= chars ? description : cut(description, chars)}`;
}

function listFewerNames(groups: Groups, maxChars: number): string {
  const most = Math.max(...[...groups.values()].map(({ length }) => length));
  const total = [...groups.values()].reduce((sum, { length }) => sum + length, 0);
  const first = (count: number) => {
    const kept = new Map([...groups].map(([namespace, skills]) => [namespace, skills.slice(0, count)] as const));
    const listed = [...kept.values()].reduce((sum, { length }) => sum + length, 0);
    return render(kept, 0, total - listed);
  };
  const count = largest(most, (each) => first(each).length <= maxChars);
  return count === 0 ? '' : first(count);
}

/** The largest number from 0 to `most` that fits, if every smaller one fits too. */
function largest(most: number, fits: (value: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
