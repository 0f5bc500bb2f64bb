import { bubblewrapArguments } from './bubblewrap.ts';
import type { SandboxPlan } from './plan.ts';
import { type Filter, withFilter } from './probe.ts';

/** How a program is started in a sandbox. */
export interface SandboxEntry {
  /** To put before the program's command line. */
  argv: string[];
  /**
   * What the entry reads from its descriptors: first its options, with the program's environment. In a command line
   * other users of the machine could read it, and as the environment of the entry it would take effect outside of the
   * sandbox (LD_PRELOAD).
   */
  reads: string[];
}

/**
 * The first descriptor after those of every program. The entry reports on it that the program runs, and reads from the
 * following ones.
 */
export const FIRST_ENTRY_DESCRIPTOR = 3;

export interface EntryOptions {
  /** The whole environment of the program. */
  environment: Readonly<Record<string, string>>;
  /** If the program itself gets descriptors, the first one after them; at most 6. */
  firstDescriptor?: number | undefined;
  /** Content of the file that the plan shows as text. */
  text?: string | null;
}

export function enterPlan(
  probed: { program: string; filter: Filter },
  plan: SandboxPlan,
  { environment, firstDescriptor = FIRST_ENTRY_DESCRIPTOR, text = null }: EntryOptions,
): SandboxEntry {
  const [status, options, textDescriptor] = [firstDescriptor, firstDescriptor + 1, firstDescriptor + 2];
  const own = { ...environment, ...(environment.TMPDIR === undefined ? {} : { TMPDIR: '/tmp' }) };
  const words = bubblewrapArguments(plan, { environment: own, textDescriptor });
  const argv = withFilter(probed, ['--json-status-fd', String(status), '--args', String(options), '--']);
  const read = words.map((word) => `${word}\0`).join('');
  return { argv, reads: text === null ? [read] : [read, text] };
}
