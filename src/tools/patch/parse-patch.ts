import { type FilePatch, PatchSyntaxError } from './file-patch.ts';
import { parseMarkedPatch } from './parse-marked-patch.ts';
import { parseUnifiedDiff } from './parse-unified-diff.ts';

/** Reads a patch of either format. Throws PatchSyntaxError. */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) throw new PatchSyntaxError(1, 'it is empty');
  const patches = lines[first]!.trim() === '*** Begin Patch' ? parseMarkedPatch(lines, first) : parseUnifiedDiff(lines);
  if (patches.length === 0) throw new PatchSyntaxError(first + 1, NEITHER);
  return patches;
}

const NEITHER = 'expected "*** Begin Patch", or the "--- " and "+++ " lines of a unified diff';

/** Every path that a patch changes, reads or removes; none if it is not a patch, which then does nothing. */
export function pathsOfPatch(text: string): { path: string; isRemoved: boolean }[] {
  try {
    return parsePatch(text).flatMap((patch) => {
      if (patch.kind === 'delete') return [{ path: patch.path, isRemoved: true }];
      if (patch.kind === 'add' || patch.moveTo === null) return [{ path: patch.path, isRemoved: false }];
      return [
        { path: patch.path, isRemoved: true },
        { path: patch.moveTo, isRemoved: false },
      ];
    });
  } catch (error) {
    if (error instanceof PatchSyntaxError) return [];
    throw error;
  }
}
