/** Names of skills and namespaces, as text in mentions, keys of databases and names of folders. */
const NAME = '[a-z0-9_-]{1,64}';
const SEGMENT = '[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?';
const NAMESPACE = `${SEGMENT}(?::${SEGMENT}){0,6}`;

export const SKILL_NAME_PATTERN = new RegExp(`^${NAME}$`);
export const SKILL_NAMESPACE_PATTERN = new RegExp(`^${NAMESPACE}$`);

/** A mention anywhere in a text: `$[team:product].review`. */
export const SKILL_MENTION_SOURCE = `\\$\\[(?<namespace>${NAMESPACE})\\]\\.(?<name>${NAME})`;

export const SKILL_NAME_RULE = '1 to 64 lower-case letters, digits, hyphens and underscores';
export const SKILL_NAMESPACE_RULE =
  '1 to 7 segments joined by colons, each of 1 to 64 lower-case letters, digits and inner hyphens';

/** The names of a skill as a mention: `$[team:product].review`. */
export function mentionOf({ namespace, name }: { namespace: string; name: string }): string {
  return `$[${namespace}].${name}`;
}
