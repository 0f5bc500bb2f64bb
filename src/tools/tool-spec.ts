import { createHash } from 'node:crypto';
import type { JsonSchema } from './tool.ts';

/** Description and parameters: all that a model is told of a tool, besides its name. */
export interface SpecText {
  readonly description: string;
  readonly parameters: JsonSchema;
}

export type SpecPart = keyof SpecText;

/** A tool as a model sees it. */
export interface ToolSpec extends SpecText {
  readonly name: string;
  /** SHA-256 of the other three: a tool that changed has another one. */
  readonly digest: string;
}

export function specOf({ name, description, parameters }: { name: string } & SpecText): ToolSpec {
  return Object.freeze({ name, description, parameters, digest: digestOf({ name, description, parameters }) });
}

/** The parts that differ. */
export function changedParts(before: SpecText, now: SpecText): SpecPart[] {
  const parts: SpecPart[] = [];
  if (before.description !== now.description) parts.push('description');
  const isSame = before.parameters === now.parameters || canonical(before.parameters) === canonical(now.parameters);
  if (!isSame) parts.push('parameters');
  return parts;
}

/** SHA-256 of each part. */
export function partDigests({ description, parameters }: SpecText): Record<SpecPart, string> {
  return { description: digestOf(description), parameters: digestOf(parameters) };
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

/** JSON with sorted keys: a server that lists the same schema in another order has not changed it. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
