import * as z from 'zod';

/** The same schema, but it accepts fields added by a newer server. */
export function loose<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return loosened(schema) as z.ZodType<T>;
}

function loosened(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, loosened(field)]);
    return z.looseObject(Object.fromEntries(fields));
  }
  if (schema instanceof z.ZodArray) return z.array(loosened(schema.element));
  if (schema instanceof z.ZodNullable) return loosened(schema.unwrap()).nullable();
  if (schema instanceof z.ZodOptional) return loosened(schema.unwrap()).optional();
  if (schema instanceof z.ZodRecord) return new z.ZodRecord({ ...schema.def, valueType: loosened(schema.valueType) });
  if (schema instanceof z.ZodLazy) return z.lazy(() => loosened(schema.unwrap()));
  return schema as z.ZodType;
}
