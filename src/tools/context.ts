import type { SkillLibrary } from '../skills/index.ts';
import type { CommandRunner } from './commands/command-runner.ts';
import type { WorkspaceFiles } from './files/workspace-files.ts';
import type { RuntimeParts } from './runtime-port.ts';
import type { SpecText } from './tool-spec.ts';

export interface ToolLimits {
  /** Of a command that sets none; two minutes by default. */
  timeoutMs?: number | undefined;
  /** Of each stream of a result; 64 KiB by default. Artifacts have all of it. */
  maxOutputBytes?: number | undefined;
}

/** What a tool gets besides its arguments: everything it may use, and nothing that it could reach by itself. */
export interface ToolContext {
  workspaceRoot: string;
  runId: string;
  callId: string;
  /** Unique in the run, unlike ids of providers: `<step>.<call id>`. The same when a call is repeated after a crash. */
  callKey: string;
  /** Aborted when the run is cancelled or a budget is exhausted. */
  signal: AbortSignal;
  /** Variables of the session. */
  env: Readonly<Record<string, string>>;
  /** Files of the workspace; nothing outside, and nothing of tacho's own. */
  files: WorkspaceFiles;
  /** Programs, in the sandbox of the run. */
  commands: CommandRunner;
  limits?: ToolLimits;
  skills: SkillLibrary | null;
  /** Terminals and child agents; null outside of a workspace runtime. */
  runtime: RuntimeParts | null;
  /** Of a tool of a source: the description and parameters that the call was judged by. */
  spec?: SpecText | undefined;
}
