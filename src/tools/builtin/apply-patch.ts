import path from 'node:path';
import { tool } from '../define-tool.ts';
import { type Applied, applyHunks } from '../patch/apply-hunks.ts';
import { type FilePatch, PatchSyntaxError } from '../patch/file-patch.ts';
import { parsePatch, pathsOfPatch } from '../patch/parse-patch.ts';
import { type StagedFiles, stageFiles } from '../patch/stage-files.ts';
import type { ToolPlace } from '../tool.ts';
import { ToolFailure } from '../tool-failure.ts';

interface PatchInput {
  patch: string;
}

const DESCRIPTION = `Change files with a patch: all of it is applied, or nothing. Two formats:
*** Begin Patch
*** Update File: path
*** Move to: new path (optional)
@@ a line that comes before, such as a function's first line (optional)
 context
-removed line
+added line
*** Add File: path
+line
*** Delete File: path
*** End Patch
or a unified diff. Lines have to match the file exactly; give three lines of context.`;

export const applyPatch = tool<PatchInput>({
  name: 'apply_patch',
  description: DESCRIPTION,
  input: {
    type: 'object',
    properties: { patch: { type: 'string', minLength: 1 } },
    required: ['patch'],
    additionalProperties: false,
  },
  actions: actionsOf,
  earlyActions: ({ patch }, place) => (patch === undefined ? null : actionsOf({ patch }, place)),
  redact: ({ patch }, digest) => ({ patch: digest(patch), files: pathsOfPatch(patch).map((file) => file.path) }),
  execute: async ({ patch }, { files }) => {
    const staged = stageFiles(files);
    const done: string[] = [];
    for (const filePatch of parse(patch)) done.push(await applyTo(staged, filePatch));
    const changed = await staged.commit();
    return { ok: true, stdout: `${done.join('\n')}\n`, data: { changed } };
  },
});

function actionsOf({ patch }: PatchInput, { workspaceRoot }: ToolPlace) {
  return pathsOfPatch(patch).map(({ path: name, isRemoved }) => ({
    kind: isRemoved ? ('delete' as const) : ('write' as const),
    path: path.resolve(workspaceRoot, name),
  }));
}

function parse(patch: string): FilePatch[] {
  try {
    return parsePatch(patch);
  } catch (error) {
    if (!(error instanceof PatchSyntaxError)) throw error;
    throw new ToolFailure('invalid_arguments', `${error.message}. Nothing was changed.`, {
      data: { line: error.line },
      retryable: true,
    });
  }
}

async function applyTo(staged: StagedFiles, patch: FilePatch): Promise<string> {
  switch (patch.kind) {
    case 'add':
      await staged.add(patch.path, patch.content, patch.mode);
      return `added ${patch.path}`;
    case 'delete': {
      const content = await staged.read(patch.path);
      const left = contentOf(patch.path, applyHunks(content, patch.hunks));
      if (patch.hunks.length > 0 && left !== '') {
        throw new ToolFailure('conflict', `${patch.path} has more lines than the patch removes. Nothing was changed.`);
      }
      await staged.remove(patch.path);
      return `deleted ${patch.path}`;
    }
    case 'update': {
      const content = contentOf(patch.path, applyHunks(await staged.read(patch.path), patch.hunks));
      if (patch.moveTo === null) {
        await staged.update(patch.path, content, patch.mode);
        return `updated ${patch.path}`;
      }
      await staged.move(patch.path, patch.moveTo, content, patch.mode);
      return `moved ${patch.path} to ${patch.moveTo}`;
    }
  }
}

function contentOf(file: string, applied: Applied): string {
  if ('content' in applied) return applied.content;
  const { hunk, hunks, what, expected, actual, line } = applied.mismatch;
  const text = [
    `${file}: hunk ${hunk} of ${hunks} cannot be applied: ${what}. Nothing was changed.`,
    'Expected:',
    ...expected.map((one) => `  ${one}`),
    `Found in the file, from line ${line}:`,
    ...actual.map((one) => `  ${one}`),
  ];
  throw new ToolFailure('conflict', text.join('\n'), { data: { file, ...applied.mismatch }, retryable: true });
}
