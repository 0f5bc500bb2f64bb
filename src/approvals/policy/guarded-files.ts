import path from 'node:path';
import { isBelow } from '../../files/index.ts';
import { OBEYED_BY_GIT, OBEYED_FILES } from '../../protocol/index.ts';
import type { Place } from '../shell/report.ts';
import type { Piece } from './piece.ts';

/** State of tacho in any folder: logs, vaults, decisions, secrets. Skills in it are the user's. */
const STATE = /\/\.tacho(?:\/(?!skills(?:\/|$))|$)/;
const SKILLS = /\/\.tacho\/skills(?:\/|$)/;
const GIT = /^(?:.*\/)?\.git\/(?<name>.+)$/;
/** Where output may always go. */
const STREAMS = /^\/dev\/(?:null|zero|full|stdout|stderr|stdin|tty|fd\/\d+)$/;
const DEVICE = /^\/dev\/(?!shm\/|tcp\/|udp\/|pts\/|u?random$)/;

export interface GuardOptions {
  place: Place;
  /** Files and folders of tacho outside of the workspace; absolute. */
  protectedPaths: readonly string[];
  /** Folders below protected ones that may be used all the same; absolute. */
  openPaths?: readonly string[];
}

/** What no rule can allow about a path: a built-in judgement, or null. */
export function guardOf(access: 'read' | 'write', file: string, options: GuardOptions): Piece | null {
  const { place, protectedPaths } = options;
  if (STREAMS.test(file)) return null;
  if (isState(file, options)) return fixed('deny', `${file} belongs to tacho itself`);
  if (access === 'read') return null;
  if (file === path.join(place.workspaceRoot, 'config/tacho.yaml')) {
    return fixed('deny', `${file} is the configuration of tacho, which holds the policy`);
  }
  if (file === place.workspaceRoot || protectedPaths.some((guarded) => isBelow(guarded, file))) {
    return fixed('deny', `${file} holds files of tacho itself`);
  }
  if (DEVICE.test(file)) return fixed('deny', `${file} is a device`);
  if (SKILLS.test(file)) return fixed('ask', `${file} is an instruction for agents`);
  if (isObeyed(file, place.workspaceRoot)) return fixed('ask', `other programs run or obey ${file}`);
  return null;
}

/** In an open folder, only what is state of tacho by its path below that folder. */
function isState(file: string, { protectedPaths, openPaths = [] }: GuardOptions): boolean {
  const open = openPaths.find((folder) => isBelow(file, folder));
  if (open !== undefined) return STATE.test(`/${path.relative(open, file)}`);
  return STATE.test(file) || protectedPaths.some((folder) => isBelow(file, folder));
}

export function isStream(file: string): boolean {
  return STREAMS.test(file);
}

function isObeyed(file: string, workspaceRoot: string): boolean {
  const inside = path.relative(workspaceRoot, file);
  const name = GIT.exec(inside)?.groups?.name;
  if (name !== undefined && OBEYED_BY_GIT.some((obeyed) => isBelow(name, obeyed))) return true;
  return OBEYED_FILES.some((obeyed) => isBelow(inside, obeyed));
}

function fixed(decision: 'ask' | 'deny', reason: string): Piece {
  return { decision, reason, rule: null, from: 'fixed' };
}
