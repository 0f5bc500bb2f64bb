import type { FreedPackages } from '../../runs/index.ts';
import { count, formatBytes } from '../output/format.ts';

/** A line about packages of skills that no run needs any more; empty if there are none. */
export function describeFreed({ count: packages, bytes, unreadable }: FreedPackages, dryRun = false): string {
  if (unreadable.length > 0) {
    const [first] = unreadable;
    const others = unreadable.length > 1 ? ` and ${count(unreadable.length - 1, 'other')}` : '';
    return `unused skill packages are kept: run ${first}${others} cannot be read (to remove it: tacho rm --force ${first})\n`;
  }
  if (packages === 0) return '';
  const verb = dryRun ? 'would be removed' : 'removed';
  return `${count(packages, 'unused skill package')} ${verb}, ${formatBytes(bytes)}\n`;
}
