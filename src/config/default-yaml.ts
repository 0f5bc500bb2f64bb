import { formatValue } from './explain.ts';
import { configFields } from './field-table.ts';

/** The defaults as a `config/tacho.yaml` to start from, each key with its description. */
export function defaultYaml(): string {
  const lines = ['# The defaults of tacho. Keep the lines you change; the others may go.'];
  let section = '';
  for (const field of configFields.fields.values()) {
    const [ofSection = '', key = ''] = field.path.split('.');
    if (ofSection !== section) lines.push(`${ofSection}:`);
    section = ofSection;
    if (field.prefix !== field.path) continue; // Its entries stand here, and there is none.
    // A JSON value is a YAML value.
    lines.push(`  # ${field.facts.description}`, `  ${key}: ${formatValue(field.default)}`);
  }
  return `${lines.join('\n')}\n`;
}
