import fs from 'node:fs';
import { readProcessStat } from '../../files/index.ts';

/**
 * The name identifies the process that created the group, so that a later process can find leftovers: its pid
 * namespace, without which the pid means nothing, the pid, and the start time, because pids are reused.
 */
const NAME = /^tacho-(\d+)-(\d+)-(\d+)-[\w-]+$/;

export function nameGroup(id: string): string {
  const { pid } = process;
  return `tacho-${pidNamespace()}-${pid}-${readProcessStat(pid)!.startTime}-${id}`;
}

/** Whether the process that created the group is gone. */
export function isLeftOver(name: string): boolean {
  const [, namespace, pid, startTime] = NAME.exec(name) ?? [];
  if (namespace === undefined || namespace !== pidNamespace()) return false;
  const owner = readProcessStat(Number(pid));
  return owner === null || owner.zombie || owner.startTime !== startTime;
}

function pidNamespace(): string {
  return /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))![0];
}
