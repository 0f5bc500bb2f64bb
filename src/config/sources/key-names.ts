import { configFields } from '../field-table.ts';
import type { PlacedLayer } from '../trust/settings-from.ts';

const SERVERS = configFields.fields.get('mcp.servers')!;

/** Variables that the layers name as places of secrets, whichever of the layers wins. */
export function keyNames(places: readonly PlacedLayer[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { layer } of places) {
    for (const [path, { value }] of layer) {
      const isKey = path === 'llm.api_key_env' || SERVERS.entryOf(path)?.key === 'token_env';
      if (isKey && typeof value === 'string') names.add(value);
    }
  }
  return names;
}
