import type { ChangedFile } from '../../protocol/index.ts';
import type { FileVersion } from './state.ts';

export function versionBefore({ before, before_type, before_mode, before_lost }: ChangedFile): FileVersion {
  return { key: before, type: before_type ?? 'file', mode: before_mode, lost: before_lost };
}

export function versionAfter({ after, after_type, after_mode, after_lost }: ChangedFile): FileVersion {
  return { key: after, type: after_type ?? 'file', mode: after_mode, lost: after_lost };
}

/** As an event has it; what is usual is left out. */
export function changedFile(path: string, before: FileVersion, after: FileVersion): ChangedFile {
  return {
    path,
    before: before.key,
    after: after.key,
    ...(before.type === 'file' ? {} : { before_type: before.type }),
    ...(after.type === 'file' ? {} : { after_type: after.type }),
    ...(before.mode === undefined ? {} : { before_mode: before.mode }),
    ...(after.mode === undefined ? {} : { after_mode: after.mode }),
    ...(before.lost === undefined ? {} : { before_lost: before.lost }),
    ...(after.lost === undefined ? {} : { after_lost: after.lost }),
  };
}
