import type { InputSchema, JsonSchema } from '../../tools/index.ts';

/** Returns the value of an answer, or every violation. */
export type OutputCheck = (text: string) => Promise<{ value: unknown } | { violations: string[] }>;

/** Checks an answer against the schema that was asked for. The validator is loaded when the first answer comes. */
export function createOutputCheck({ parameters, parse }: InputSchema<unknown>): OutputCheck {
  let compiled: Promise<(value: unknown) => { path: string; message: string }[]> | null = null;
  return async (text) => {
    let value: unknown;
    try {
      value = JSON.parse(jsonIn(text));
    } catch (error) {
      return { violations: [`it is not JSON: ${(error as Error).message}`] };
    }
    compiled ??= compile(parameters);
    const check = await compiled;
    const violations = check(value).map(({ path, message }) => `${path === '' ? 'the answer' : path}: ${message}`);
    if (violations.length > 0) return { violations };
    const parsed = await parse?.(value);
    if (!parsed) return { value };
    return parsed.issues ? { violations: parsed.issues.map(({ message }) => message) } : { value: parsed.value };
  };
}

async function compile(schema: JsonSchema): Promise<(value: unknown) => { path: string; message: string }[]> {
  const { compileSchema } = await import('../../skills/package/json-schema.ts');
  return await compileSchema(schema, { draft: '2020-12', isTrusted: true });
}

/** Models like to wrap JSON in a fence. */
function jsonIn(text: string): string {
  const trimmed = text.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(trimmed);
  return fenced ? fenced[1]! : trimmed;
}
