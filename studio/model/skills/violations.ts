import * as z from 'zod';
import type { TachoError } from '../../../src/protocol/index.ts';
import { pointerPart } from './schema-draft.ts';
import type { SchemaField } from './schema-field.ts';

const violationsSchema = z.array(
  z.looseObject({ field: z.enum(['input', 'parameters']), path: z.string(), message: z.string() }),
);

export type Violation = z.infer<typeof violationsSchema>[number];

/** The violations of a schema that a server reports; null if the error is another one. */
export function violationsOf({ code, facts }: TachoError): Violation[] | null {
  if (code !== 'INPUT_INVALID') return null;
  return violationsSchema.safeParse(facts.violations).data ?? null;
}

/** What is wrong with each field, by its JSON Pointer. A value that the form has no field for belongs to the one around it. */
export function problemsByField(
  field: SchemaField,
  violations: readonly Violation[],
): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const { path, message } of violations) {
    const missing = /^must have required property '(.*)'$/.exec(message)?.[1];
    const wanted = missing === undefined ? path : `${path}/${pointerPart(missing)}`;
    const at = nearestField(field, wanted);
    // For a field of its own, the name need not be repeated.
    const words = missing !== undefined && at === wanted ? 'is required' : message;
    problems[at] = problems[at] === undefined ? words : `${problems[at]}; ${words}`;
  }
  return problems;
}

/** The pointer of the innermost field of the form on the way to a value. */
function nearestField(field: SchemaField, pointer: string): string {
  let at = '';
  let here = field;
  for (const part of pointer.split('/').slice(1)) {
    const next =
      here.kind === 'object'
        ? here.fields.find(({ name }) => pointerPart(name) === part)
        : here.kind === 'list' && /^\d+$/.test(part)
          ? here.item
          : undefined;
    if (!next) return at;
    here = next;
    at = `${at}/${part}`;
  }
  return at;
}
