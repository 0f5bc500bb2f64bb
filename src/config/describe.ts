import { formatValue } from './explain.ts';
import { configFields } from './field-table.ts';

/** One key, for tables and help. */
interface ConfigKeyDescription {
  path: string;
  type: string;
  /** As it would stand in YAML. */
  default: string;
  description: string;
  accepts: string;
  environment_name: string;
}

export function describeConfig(): ConfigKeyDescription[] {
  return [...configFields.fields.values()].map((field) => ({
    path: field.path,
    type: field.facts.type,
    default: formatValue(field.default),
    description: field.facts.description,
    accepts: field.facts.accepts,
    environment_name: field.environment_name,
  }));
}
