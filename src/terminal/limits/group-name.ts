import fs from 'node:fs';
import { readProcessStat } from '../../files/index.ts';

/**
 * A group is named after the process that made it, so that a later one can tell which are left over: of the same pid
 * namespace, or the pid would mean nothing, and with a start time, or another process might have it now.
 */
const NAME = /^tacho-(\d+)-(\d+)-(\d+)-[\w-]+$/;

export function nameGroup(id: string): string {
  const { pid } = process;
  return `tacho-${pidNamespace()}-${pid}-${readProcessStat(pid)!.startTime}-${id}`;
}

/** Whether a group of that name was made by a process that is gone. */
export function isLeftOver(name: string): boolean {
  const [, namespace, pid, startTime] = NAME.exec(name) ?? [];
  if (namespace === undefined || namespace !== pidNamespace()) return false;
  const owner = readProcessStat(Number(pid));
  return owner === null || owner.zombie || owner.startTime !== startTime;
}

function pidNamespace(): string {
  return /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))![0];
}
