import { test } from 'vitest';
import { z } from 'zod';
import { DIAGNOSTIC_CODES, fcmpDataSchemas, raspDataSchemas } from '../../src/protocol/index.ts';
import { expectGenerated, markdownTable } from './page.ts';

test('the table of types matches raspDataSchemas', () => {
  const rows = Object.entries(raspDataSchemas).map(([type, schema]) => [`\`${type}\``, describeFields(schema)]);
  expectGenerated('docs/events.md', 'types', markdownTable(['type', 'data'], rows));
});

test('the table of diagnostics matches DIAGNOSTIC_CODES', () => {
  const rows = Object.entries(DIAGNOSTIC_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  expectGenerated('docs/events.md', 'diagnostics', markdownTable(['code', 'meaning'], rows));
});

test('the table of messages matches fcmpDataSchemas', () => {
  const rows = Object.entries(fcmpDataSchemas).map(([type, schema]) => [`\`${type}\``, describeFields(schema)]);
  expectGenerated('docs/conversation.md', 'messages', markdownTable(['type', 'data'], rows));
});

/** `status`, `phase?`: optional fields have a question mark; `…` means further fields. */
function describeFields(schema: z.ZodType): string {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = z.toJSONSchema(schema, {
    // Ignore names under which another module may have registered parts of it.
    metadata: z.registry(),
  });
  const names = Object.entries(properties).map(([name, field]) => {
    const values = enumeration(field);
    return `\`${name}${required.includes(name) ? '' : '?'}\`${values ? ` (${values.join(', ')})` : ''}`;
  });
  return [...names, ...(additionalProperties === false ? [] : ['…'])].join(' · ');
}

function enumeration(field: unknown): string[] | null {
  const { enum: values } = field as { enum?: string[] };
  return values ?? null;
}
