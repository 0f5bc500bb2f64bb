import type { HumanQuestion, ToolAction, ToolErrorKind, ToolResult } from '../protocol/index.ts';
import type { ToolContext } from './context.ts';
import type { SpecText } from './tool-spec.ts';

export type JsonSchema = { readonly [key: string]: unknown };

/** What a tool returns; the registry fills in what is missing. A text is the answer of a call that succeeded. */
export type ToolAnswer =
  | string
  | (Partial<Omit<ToolResult, 'duration_ms'>> & { ok: boolean; error_kind?: ToolErrorKind | null });

/** A tool that a model may call. Make one with `tool()`, which infers `Input`. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema;
  /** The schema was not written by the author of this program, and may be made to take forever: it gets a time limit. */
  readonly untrustedSchema?: boolean;
  /** Turns arguments that fit `parameters` into the input: defaults, transformations and checks of a schema library. */
  parse?(value: unknown): ParsedInput<Input> | Promise<ParsedInput<Input>>;
  /** Shared: may run beside other shared ones. Exclusive: runs alone. */
  readonly concurrency: 'shared' | 'exclusive';
  /**
   * False: the call only reads, so it is simply repeated if the process dies during it. True: it is never repeated by
   * itself; the model is told that the outcome is unknown.
   */
  readonly hasEffects: boolean;
  /**
   * A call with effects that may be repeated after a crash all the same, because its effect is keyed by the call
   * (`ToolContext.callKey`) or is the same the second time.
   */
  readonly isRepeatable?: boolean;
  /** Its effects are calls of other agents, which are judged and logged in their own runs. Allowed unless a rule decides. */
  readonly delegates?: boolean;
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
  /** The source that it comes from, such as `mcp:files`; see `ToolSource`. */
  readonly source?: string;
  /** Of a tool of a source: as its server has it now, or null if it is gone. */
  current?(signal: AbortSignal): Promise<SpecText | null>;
  /** Of a tool of a source: a person or a rule has accepted it as it is here. */
  accept?(spec: SpecText): Promise<void>;
  execute(input: Input, context: ToolContext): Promise<ToolAnswer> | ToolAnswer;
}

/** As a schema library answers. */
export type ParsedInput<Input> =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly InputIssue[] };

export interface InputIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Where a call works. */
export interface ToolPlace {
  /** Absolute, without links. */
  workspaceRoot: string;
}
