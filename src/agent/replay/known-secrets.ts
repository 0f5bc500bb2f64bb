import type { AgentEvent } from '../../protocol/index.ts';
import type { Secret } from '../options.ts';
import type { Vault } from '../wal/index.ts';

/** As `markerOf` writes it. */
const MARKER = /\[secret ([^\]]+)\]/;

/**
 * The secrets that were masked in a log, as the vault has them. A replay masks them again, whether or not it was given
 * them: else its events would differ from those of the log, and a difference would show them.
 */
export function secretsIn(events: readonly AgentEvent[], vault: Pick<Vault, 'getJson'>): Secret[] {
  const found = new Map<string, Secret>();
  for (const { data } of events) {
    const { exact, ...logged } = data as { exact?: string };
    if (exact === undefined || !MARKER.test(JSON.stringify(logged))) continue;
    collect(logged, vault.getJson(exact), found);
  }
  return [...found.values()];
}

function collect(logged: unknown, exact: unknown, found: Map<string, Secret>): void {
  if (typeof logged === 'string') {
    if (typeof exact === 'string') for (const secret of secretsOf(logged, exact)) found.set(secret.value, secret);
    return;
  }
  if (typeof logged !== 'object' || logged === null || typeof exact !== 'object' || exact === null) return;
  // Names of members may have been masked as well, so the order counts.
  const [shown, real] = [Object.entries(logged), Object.entries(exact)];
  for (const [index, [name, value]] of shown.entries()) {
    const other = real[index];
    if (!other) return;
    if (MARKER.test(name)) collect(name, other[0], found);
    collect(value, Object.hasOwn(exact, name) ? (exact as Record<string, unknown>)[name] : other[1], found);
  }
}

/** What stands in the exact text where the logged one has a marker. */
function secretsOf(logged: string, exact: string): Secret[] {
  const parts = logged.split(new RegExp(MARKER, 'g'));
  if (parts.length < 3) return [];
  const secrets: Secret[] = [];
  let at = parts[0]!.length;
  if (!exact.startsWith(parts[0]!)) return [];
  for (let index = 1; index < parts.length; index += 2) {
    const [name, next] = [parts[index]!, parts[index + 1]!];
    const isLast = index + 2 >= parts.length;
    const to = isLast ? exact.length - next.length : exact.indexOf(next, at + 1);
    if (to <= at || !exact.startsWith(next, to)) return secrets;
    secrets.push({ name, value: exact.slice(at, to) });
    at = to + next.length;
  }
  return secrets;
}
