import { TachoError } from '../../protocol/error-code.ts';
import type { ConfigKey } from '../find-key.ts';
import { notAList, valueFromText } from '../sources/environment.ts';
import { yamlLibrary } from '../sources/yaml-text.ts';

/** The value of a typed text, in the form it was typed: `1h30m` stays `1h30m`. */
export function valueToWrite({ path, entry, value }: ConfigKey, text: string): unknown {
  // For a named entry and its values, null removes what weaker layers set.
  if (entry !== undefined && text.trim() === 'null') return null;
  if (value?.facts === undefined) return mapFromText(path, text);
  const read = valueFromText(text, value.facts);
  if (read === undefined) throw new TachoError('CONFIG_INVALID', notAList(path, text));
  return read;
}

/** JSON, or the shorter `{host: build.example, user: ci}`. */
function mapFromText(path: string, text: string): unknown {
  const document = yamlLibrary().parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) return document.toJS({ maxAliasCount: 0 });
  throw new TachoError('CONFIG_INVALID', `${path} must be a map such as {name: value}, as YAML or JSON`, {
    cause: error,
  });
}
