import { isBelow } from '../../files/index.ts';
import { findRoots } from './find-commands.ts';
import { pathsOf } from './folders.ts';
import { PRIVILEGED } from './program-kinds.ts';
import { baseName } from './program-name.ts';
import { deny, type Inspection } from './report.ts';
import type { ShellWord } from './word.ts';

const SYSTEM_TREES = new Set(
  ['bin', 'boot', 'dev', 'etc', 'home', 'lib', 'lib32', 'lib64', 'opt', 'proc', 'root', 'run', 'sbin', 'srv', 'sys']
    .concat(['usr', 'var', 'Users', 'Library', 'System', 'usr/bin', 'usr/lib', 'usr/local', 'var/lib'])
    .map((name) => `/${name}`),
);
const DISK = /(?:^|=)\/dev\/(?:[shvx]+d[a-z]|nvme|mmcblk|loop|dm-|md\d|mapper\/|disk\/|k?mem\b|port\b|sr\d)/;
const ENDS_MACHINE = /^(?:shutdown|reboot|halt|poweroff|telinit)$/;
const DESTROYS_DISKS = /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|blkdiscard)$/;

/** What no rule can allow: each is a finding. */
export function checkDangers(name: string, words: readonly ShellWord[], inspection: Inspection): void {
  const danger = dangerOf(name, words, inspection);
  if (danger) deny(inspection, danger);
}

function dangerOf(name: string, words: readonly ShellWord[], inspection: Inspection): string | null {
  if (PRIVILEGED.has(name)) return `${name} acts as another user`;
  if (DESTROYS_DISKS.test(name)) return `${name} destroys the content of disks`;
  if (ENDS_MACHINE.test(name)) return `${name} stops the machine`;
  switch (name) {
    case 'rm':
    case 'mv':
    case 'shred':
      if (words.some(({ value }) => value === '--no-preserve-root')) return 'removes /';
      return destroysTree(name, words, inspection) ? `${name} destroys a whole system, home or workspace` : null;
    case 'chmod':
    case 'chown':
    case 'chgrp':
      return isRecursive(words) && operandsOf(words).some((word) => isVital(word, inspection, { orWorkspace: false }))
        ? `${name} changes the permissions of a whole system or home`
        : null;
    case 'find':
      return deletesByFind(words) && findRoots(words).some((root) => isVital(root, inspection, { orWorkspace: false }))
        ? 'find deletes files of a whole system or home'
        : null;
    case 'kill':
      return words.length > 2 && words.slice(2).some(({ value }) => value === '-1') ? 'kills every process' : null;
    case 'systemctl':
      return words.some(({ value }) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(value))
        ? 'systemctl stops the machine'
        : null;
    case 'init':
      return /^[06]$/.test(words[1]?.value ?? '') ? 'init stops the machine' : null;
    case 'echo':
    case 'printf':
      return null;
    default:
      return words.some(({ value }) => DISK.test(value)) ? `${name} uses a disk as a whole` : null;
  }
}

function destroysTree(name: string, words: readonly ShellWord[], inspection: Inspection): boolean {
  if (words.some(({ value }) => DISK.test(value))) return true;
  if (name === 'rm' && !isRecursive(words)) return false;
  const operands = name === 'mv' ? operandsOf(words).slice(0, -1) : operandsOf(words);
  return operands.some((word) => isVital(word, inspection, { orWorkspace: true }));
}

/** GNU programs take any beginning of a long option. */
function isRecursive(words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => /^-[a-zA-Z]*[rR]/.test(value) || /^--r(?:e(?:c[a-z]*)?)?$/.test(value));
}

function operandsOf(words: readonly ShellWord[]): ShellWord[] {
  return words.slice(1).filter(({ value }) => !value.startsWith('-'));
}

function deletesByFind(words: readonly ShellWord[]): boolean {
  return words.some(
    ({ value }, index) => value === '-delete' || (/^-(?:exec|ok)/.test(value) && removes(words[index + 1])),
  );
}

function removes(word: ShellWord | undefined): boolean {
  return /^(?:rm|shred|unlink|rmdir|chmod|chown)$/.test(baseName(word));
}

/** The whole system, a home, or a folder around the workspace; the workspace itself has the state of tacho in it. */
function isVital(
  { kind, value }: ShellWord,
  { place, folders }: Inspection,
  { orWorkspace }: { orWorkspace: boolean },
): boolean {
  const whole = value.replace(/(?<=.)\/+(?:\*|\.\*|\{,\.\}\*|\.)?$/, '').replace(/^\/(?:\*|\.\*)$/, '/');
  if (kind === 'dynamic') return /^\$(?:HOME|\{HOME\}|PWD\/\.\.|\{PWD\}\/\.\.)$/.test(whole);
  return (pathsOf(whole, { folders, home: place.home }) ?? []).some(
    (path) =>
      path === '/' ||
      SYSTEM_TREES.has(path) ||
      isBelow(place.home, path) ||
      (isBelow(place.workspaceRoot, path) && (path !== place.workspaceRoot || (orWorkspace && !value.endsWith('*')))),
  );
}
