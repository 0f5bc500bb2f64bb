import type { SettingPart } from '../check-value.ts';
import type { Setting } from '../settings.ts';
import type { ConfigSource } from '../source.ts';

/** One item of a list of maps, and where it was set. */
export interface ListItem {
  value: unknown;
  source: ConfigSource;
  /** Its single values, with paths below the item. Empty if they have no places, as in a variable of the process. */
  parts: readonly SettingPart[];
}

export function itemsOf({ value, source, parts = [] }: Setting): ListItem[] {
  return (value as unknown[]).map((item, index) => {
    const place = `[${index}]`;
    const below = parts
      .filter(({ path }) => path.startsWith(place))
      .map((part) => ({ ...part, path: part.path.slice(place.length) }));
    return { value: item, source: below[0]?.source ?? source, parts: below };
  });
}

/** The items as one list. The source of the list is that of `setting`. */
export function listOf(items: readonly ListItem[], setting: Setting): Setting {
  const parts = items.flatMap((item, index) => {
    return item.parts.map((part) => ({ ...part, path: `[${index}]${part.path}` }));
  });
  return { ...setting, value: items.map((item) => item.value), parts };
}

/** The setting with another value. Items that a list keeps stay the same objects, and so keep their places. */
export function withValue(setting: Setting, value: unknown): Setting {
  if (setting.parts === undefined || value === setting.value || !Array.isArray(value)) return { ...setting, value };
  return listOf(
    itemsOf(setting).filter((item) => value.includes(item.value)),
    setting,
  );
}
