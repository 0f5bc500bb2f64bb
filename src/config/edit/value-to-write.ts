import { TachoError } from '../../protocol/error-code.ts';
import type { ConfigKey } from '../find-key.ts';
import { notAList, valueFromText } from '../sources/environment.ts';
import { yamlLibrary } from '../sources/yaml-text.ts';

/** What a typed text stands for, written as it was typed: `1h30m` stays so. */
export function valueToWrite({ path, entry, value }: ConfigKey, text: string): unknown {
  // Of a named entry and its values, null takes back what weaker layers say.
  if (entry !== undefined && text.trim() === 'null') return null;
  if (value?.facts === undefined) return mapFromText(path, text);
  const read = valueFromText(text, value.facts);
  if (read === undefined) throw new TachoError('CONFIG_INVALID', notAList(path, text));
  return read;
}

/** JSON, or what is shorter to type: `{host: build.example, user: ci}`. */
function mapFromText(path: string, text: string): unknown {
  const document = yamlLibrary().parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) return document.toJS({ maxAliasCount: 0 });
  throw new TachoError('CONFIG_INVALID', `${path} must be a map such as {name: value}, as YAML or JSON`, {
    cause: error,
  });
}
