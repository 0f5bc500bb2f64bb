import type { ToolContext } from './context.ts';
import type { JsonSchema, ToolAnswer } from './tool.ts';
import type { SpecPart, SpecText } from './tool-spec.ts';

/** Where tools come from that are known only when a run begins, such as an MCP server. */
export interface ToolSource {
  /** Unique among the sources of an agent, such as `mcp:files`. The log has it. */
  readonly name: string;
  /** Values that must not appear in logs, events and errors, such as a token. */
  readonly secrets?: readonly { name: string; value: string }[] | undefined;
  /** How long `open` may take; one minute by default. */
  readonly openTimeoutMs?: number | undefined;
  /** Called when a run begins or is resumed. If it throws, the run goes on without its tools. */
  open(options: OpenSourceOptions): Promise<OpenedSource>;
}

export interface OpenSourceOptions {
  /** Aborted when it takes too long, or the run is cancelled. Nothing may be left running then. */
  signal: AbortSignal;
  /** Variables of the session. */
  env: Readonly<Record<string, string>>;
  /** Absolute, without links. */
  workspaceRoot: string;
}

/** A source while a run uses it. */
export interface OpenedSource {
  readonly tools: readonly SourceTool[];
  /** Why some tools are missing. */
  readonly problem?: string | undefined;
  /** Called once, when the run has ended or waits. */
  close(): Promise<void>;
}

/**
 * A tool of a source. It always runs alone and counts as having effects, whatever its server says: the log has its name,
 * description and parameters, and a replay needs nothing else.
 */
export interface SourceTool extends SpecText {
  readonly name: string;
  readonly parameters: JsonSchema;
  /** Parts that differ from the tool that was last accepted, by a person or a rule, in any run. Its calls are asked about. */
  readonly changed?: readonly SpecPart[] | undefined;
  /** The tool as its server has it now; null if it is gone. The model keeps what it was given, but a change is asked about. */
  current?(signal: AbortSignal): Promise<SpecText | null>;
  /** A person or a rule has accepted it as it is here. */
  accept?(spec: SpecText): Promise<void>;
  /** Carry out nothing but `context.spec`, which the call was judged by: anything else would get around the policy. */
  execute(input: unknown, context: ToolContext): Promise<ToolAnswer>;
}

/** A source with some of its tools. */
export function filterSource(source: ToolSource, isWanted: (toolName: string) => boolean): ToolSource {
  return {
    name: source.name,
    secrets: source.secrets,
    openTimeoutMs: source.openTimeoutMs,
    open: async (options) => {
      const opened = await source.open(options);
      return {
        tools: opened.tools.filter(({ name }) => isWanted(name)),
        problem: opened.problem,
        close: () => opened.close(),
      };
    },
  };
}
