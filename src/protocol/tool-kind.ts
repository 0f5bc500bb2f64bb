import * as z from 'zod';

/** What a tool call is about, whatever the engine calls the tool. */
export const toolKindSchema = z.enum(['command', 'file', 'mcp', 'search', 'agent', 'other']);
export type ToolKind = z.infer<typeof toolKindSchema>;
