import type { Counting } from '../billed-usage.ts';

/** In what the engines that print this envelope differ. */
export interface StreamJsonDialect {
  /** The fields of system events, by subtype. */
  systems: Readonly<Record<string, ReadonlySet<string>>>;
  /** Call ids are unique over all invocations; else they come from whatever model service there is. */
  uniqueCallIds: boolean;
  /** The usage of a result is that of one turn; else it is that of the session so far, and messages have that of a call. */
  usageOfTurn: boolean;
  counting: Counting;
  /** A text in the name of the assistant, or the last piece of one, that is an error of the model service. */
  errorText: RegExp | null;
  /** Where the result of a failed command has its exit code. */
  exitCode: RegExp;
  /** The tool by which others are called, their name and arguments being its arguments. */
  bridgeTool: string | null;
  /** A sub-agent that fails prints a result of its own, without any time spent. */
  subagentResults: boolean;
}
