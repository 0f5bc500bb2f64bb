import type * as Yaml from 'yaml';
import type { ConfigSource } from '../source.ts';
import type { Located, LocatedEntry } from './located.ts';

/** Aliases may repeat whole trees, and nested aliases exceed any memory ("billion laughs"). */
const MAX_ALIAS_COUNT = 100;

export const TOO_DEEP = 'this is nested too deeply';

/** Far deeper than any setting, and far below the limit of the stack. */
const MAX_DEPTH = 128;

export interface YamlReading {
  yaml: typeof Yaml;
  at: (offset: number) => ConfigSource;
  report: (offset: number, complaint: string) => void;
}

/** Converts parsed nodes to values with places, and resolves aliases. */
export function locateYaml(root: unknown, reading: YamlReading): Located {
  const { yaml, at, report } = reading;
  const anchors = new Map<string, Yaml.Node>();
  let aliases = 0;
  let expanding = 0;
  let depth = 0;
  return convert(root, at(0));

  /** `fallback` is the place of a missing value, as after `key:`. */
  function convert(node: unknown, fallback: ConfigSource): Located {
    const source = yaml.isNode(node) && node.range ? at(node.range[0]) : fallback;
    if (yaml.isAlias(node)) return convertAlias(node, source);
    // Inside an expansion every anchor is visited again; its name may have been redefined since.
    if (yaml.isNode(node) && node.anchor !== undefined && expanding === 0) anchors.set(node.anchor, node);
    if (yaml.isCollection(node)) return convertCollection(node, source);
    return { kind: 'scalar', value: yaml.isScalar(node) ? node.value : null, source };
  }

  function convertCollection(node: Yaml.YAMLMap | Yaml.YAMLSeq, source: ConfigSource): Located {
    if (depth === MAX_DEPTH) {
      report(node.range?.[0] ?? 0, TOO_DEEP);
      return { kind: 'scalar', value: null, source };
    }
    depth += 1;
    const located: Located = yaml.isMap(node)
      ? { kind: 'map', entries: node.items.map((pair) => convertPair(pair, source)), source }
      : { kind: 'list', items: node.items.map((item) => convert(item, source)), source };
    depth -= 1;
    return located;
  }

  function convertPair(pair: Yaml.Pair, mapSource: ConfigSource): LocatedEntry {
    const key = convert(pair.key, mapSource);
    return { key, value: convert(pair.value, key.source) };
  }

  function convertAlias(alias: Yaml.Alias, source: ConfigSource): Located {
    aliases += 1;
    const target = anchors.get(alias.source);
    const offset = alias.range?.[0] ?? 0;
    if (target === undefined) report(offset, 'this alias has no anchor before it');
    if (aliases === MAX_ALIAS_COUNT + 1) report(offset, `more than ${MAX_ALIAS_COUNT} aliases are not allowed`);
    if (target === undefined || aliases > MAX_ALIAS_COUNT) return { kind: 'scalar', value: null, source };
    expanding += 1;
    const expanded = convert(target, source);
    expanding -= 1;
    return { ...expanded, source };
  }
}
