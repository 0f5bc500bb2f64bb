import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { RuntimeClient } from '../client/runtime-client.ts';

export interface ToolContext {
  runtime: Pick<RuntimeClient, 'call'>;
  /** Aborts when the client cancels the call. */
  signal: AbortSignal;
}

/** The same answer twice: structured for programs, text for readers. */
export interface ToolAnswer<Output> {
  structured: Output;
  /** Blocks of text. Output of a program has a separate block, so that it cannot pass for ours. */
  text: string[];
}

interface ToolParts<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  /** For a model, which knows nothing else about the tool. */
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  call(params: z.output<Input>, context: ToolContext): Promise<ToolAnswer<z.output<Output>>>;
}

export type Tool = ToolParts<z.ZodObject, z.ZodObject>;

/** Checks the types of a tool's parts against each other, and returns it as a general tool. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  parts: ToolParts<Input, Output>,
): Tool {
  return parts as unknown as Tool;
}
