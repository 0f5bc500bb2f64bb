import type { HumanQuestion, ToolAction, ToolErrorKind, ToolResult } from '../protocol/index.ts';
import type { ToolContext } from './context.ts';

export type JsonSchema = { readonly [key: string]: unknown };

/** What a tool returns; the registry fills in what is missing. A text is the answer of a call that succeeded. */
export type ToolAnswer = string | (Partial<Omit<ToolResult, 'duration_ms'>> & { ok: boolean; error_kind?: ToolErrorKind | null });

/** A tool that a model may call. Make one with `tool()`, which infers `Input`. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema;
  /** Shared: may run beside other shared ones. Exclusive: runs alone. */
  readonly concurrency: 'shared' | 'exclusive';
  /**
   * False: the call only reads, so it is simply repeated if the process dies during it. True: it is never repeated by
   * itself; the model is told that the outcome is unknown.
   */
  readonly hasEffects: boolean;
  /** What the call is about to do, for the policy. Called with whole and valid arguments. */
  actions?(input: Input, place: ToolPlace): ToolAction[];
  /**
   * The same for arguments that are still arriving: `complete` holds only members that have ended. Null while it cannot
   * be known.
   */
  earlyActions?(complete: Partial<Input>, place: ToolPlace): ToolAction[] | null;
  /** Arguments as they may be logged: variables by name, contents of files as `digest(content)`. */
  redact?(input: Input, digest: (content: string) => string): unknown;
  /** A tool that asks a person: its result is the answer, and `execute` is not called. */
  questions?(input: Input): HumanQuestion['questions'];
  execute(input: Input, context: ToolContext): Promise<ToolAnswer> | ToolAnswer;
}

/** Where a call works. */
export interface ToolPlace {
  /** Absolute, without links. */
  workspaceRoot: string;
}
