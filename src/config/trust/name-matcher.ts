/** Whether a name matches one of the patterns, in which `*` matches any characters. */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => false;
  const sources = patterns.map((pattern) => pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*'));
  // One expression for all of them: an environment may have hundreds of names.
  const expression = new RegExp(`^(?:${sources.join('|')})$`, 's');
  return (name) => expression.test(name);
}
