/** The page of a skill. */
export function skillAddress({ namespace, name }: { namespace: string; name: string }): string {
  return `/skills/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}
