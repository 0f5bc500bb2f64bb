import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { RuntimeClient } from '../client/runtime-client.ts';

export interface ToolContext {
  runtime: Pick<RuntimeClient, 'call'>;
  /** Fires when the client does not want the answer any more. */
  signal: AbortSignal;
}

/** The same thing twice: for a program, and for whoever reads. */
export interface ToolAnswer<Output> {
  structured: Output;
  /** Blocks of text; what a program printed has one of its own, so that it cannot pass for ours. */
  text: string[];
}

interface ToolParts<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  /** For a model that has nothing else to go by. */
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  call(params: z.output<Input>, context: ToolContext): Promise<ToolAnswer<z.output<Output>>>;
}

export type Tool = ToolParts<z.ZodObject, z.ZodObject>;

/** Checks the parts of a tool against each other; in a list with others it is a tool like any. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  parts: ToolParts<Input, Output>,
): Tool {
  return parts as unknown as Tool;
}
