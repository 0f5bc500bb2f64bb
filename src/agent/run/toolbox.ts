import type { ToolAction, ToolResult } from '../../protocol/index.ts';
import type { SkillLibrary } from '../../skills/index.ts';
import type { CommandRunner } from '../../tools/commands/index.ts';
import {
  type CallPlace,
  type FileAccess,
  type FileChange,
  type PreparedCall,
  type RuntimeParts,
  type ToolContext,
  type ToolLimits,
  type ToolRegistry,
  WorkspaceFiles,
} from '../../tools/index.ts';
import { changedParts } from '../../tools/tool-spec.ts';
import type { CallOutcome, PermittedCall, SpecChanges, ToolBox } from '../loop/effects.ts';
import type { ModelTool } from '../models/model.ts';

export interface ToolBoxParts {
  registry: ToolRegistry;
  place: CallPlace;
  runId: string;
  env: Readonly<Record<string, string>>;
  commands: CommandRunner;
  skills: SkillLibrary | null;
  runtime: RuntimeParts | null;
  limits: ToolLimits;
  /** Why the policy denies this file, wherever a link in the workspace leads to; null if it does not. */
  refuse(file: string, access: FileAccess): string | null;
  /** Notes which files a call changes. */
  keeper: FileKeeper;
  /** Keeps output that does not fit into a result; returns the name of its file. */
  keepOutput(callId: string, output: { stdout: string; stderr: string }): string;
}

/** Keeps the contents of files that calls change, so that a run can be forked with the files it had at any event. */
export interface FileKeeper {
  /** Before a call with effects. */
  begin(call: { id: string; usesCommands: boolean }): Promise<CallFiles>;
}

export interface CallFiles {
  /** A tool has changed a file through `ToolContext.files`. */
  note(change: FileChange): void;
  /** After the call. */
  end(): Promise<Pick<CallOutcome, 'files' | 'incomplete'>>;
}

/** The real tools, with everything they may use. */
export function createToolBox(parts: ToolBoxParts): ToolBox {
  const { registry, place } = parts;
  const specs = registry.specs().map(
    ({ name, description, parameters }): ModelTool => ({
      type: 'function',
      name,
      description,
      inputSchema: parameters as ModelTool['inputSchema'],
    }),
  );
  return {
    specs,
    prepare: (name, input) => registry.prepare(name, input, place),
    hidesArguments: (name) => registry.get(name)?.redact !== undefined,
    hasEarlyActions: (name) => registry.get(name)?.earlyActions !== undefined,
    earlyActions: (name, complete) => {
      const tool = registry.get(name);
      const actions = tool?.earlyActions?.(complete, place) ?? null;
      return actions && tool ? { actions, hasEffects: tool.hasEffects } : null;
    },
    changesOf: async ({ tool }, signal) => {
      // A stop is handled by the loop; a server that cannot be asked fails when the call is carried out.
      const now = await tool.current?.(signal).catch(() => null);
      const parts = now ? changedParts(tool, now) : [];
      return parts.length === 0 ? null : (Object.fromEntries(parts.map((part) => [part, now![part]])) as SpecChanges);
    },
    execute: async ({ id, key, prepared, spec, isAccepted }, signal) => {
      // What cannot be kept is asked about again in the next run.
      if (isAccepted && spec) await prepared.tool.accept?.(spec).catch(() => {});
      const files = prepared.tool.hasEffects
        ? await parts.keeper.begin({ id, usesCommands: mayChangeAnything(prepared) })
        : null;
      let artifact: string | undefined;
      const keepOutput = (output: { stdout: string; stderr: string }) => {
        artifact = parts.keepOutput(id, output);
      };
      const context = contextOf(parts, { id, key, spec }, signal, files);
      const result: ToolResult = await registry.execute(prepared, context, { keepOutput });
      const changed = await files?.end();
      return { result, ...changed, ...(artifact === undefined ? {} : { artifact }) };
    },
  };
}

/** Commands, and programs on terminals, which go on meanwhile. */
const RUNS_COMMANDS: ReadonlySet<string> = new Set<ToolAction['kind']>(['shell', 'program', 'input']);

/** Commands, and tools that do not say what they do. Others report their changes themselves, or in another run. */
function mayChangeAnything({ actions, tool }: PreparedCall): boolean {
  if (actions.some(({ kind }) => RUNS_COMMANDS.has(kind))) return true;
  return actions.length === 0 && tool.hasEffects && !tool.delegates;
}

function contextOf(
  parts: ToolBoxParts,
  { id: callId, key: callKey, spec }: Pick<PermittedCall, 'id' | 'key' | 'spec'>,
  signal: AbortSignal,
  files: CallFiles | null,
): ToolContext {
  const { place, runId, env, commands, skills, runtime } = parts;
  let opened: WorkspaceFiles | null = null;
  const onChange = files ? (change: FileChange) => files.note(change) : undefined;
  return {
    workspaceRoot: place.workspaceRoot,
    runId,
    callId,
    callKey,
    signal,
    env,
    // Most tools do not touch files.
    get files() {
      opened ??= new WorkspaceFiles(place.workspaceRoot, { refuse: parts.refuse, ...(onChange ? { onChange } : {}) });
      return opened;
    },
    commands,
    limits: parts.limits,
    skills,
    runtime,
    spec: spec ?? undefined,
  };
}
