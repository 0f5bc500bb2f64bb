import type { PolicyRule } from '../../protocol/agent/decision.ts';
import { configFields, fieldOf } from '../field-table.ts';
import { resolveConfig } from '../origins.ts';
import type { Config } from '../schema.ts';
import type { Setting } from '../settings.ts';
import type { HeldBack } from './hold-back.ts';
import { type ConfigPath, KEY_CLASSES } from './key-classes.ts';
import { itemsOf, type ListItem, listOf, withValue } from './list-items.ts';
import type { PlacedLayer } from './settings-from.ts';
import { onlyListed, someOf, type Tighten } from './tighten.ts';

const RULES = 'safety.rules';
const SANDBOX = ['sandbox.profile', 'sandbox.network', 'sandbox.read', 'sandbox.write'] as const;

/** A key by which the user limits agents. If the user set one of `by`, a workspace can only make it stricter. */
interface PolicyKey {
  by: readonly ConfigPath[];
  /** By default the one of its class. */
  tighten?: (wanted: unknown, base: Config, isSet: (key: ConfigPath) => boolean) => unknown;
}

/** Trust lets a workspace choose where the user has said nothing. It never overrules the user. */
const POLICY_KEYS: ReadonlyMap<string, PolicyKey> = new Map<ConfigPath, PolicyKey>([
  ...(
    [
      'llm.requests',
      'llm.max_output_tokens',
      'tools.enabled',
      'tools.disabled',
      'safety.write',
      'safety.command',
      'safety.tool',
      'safety.approver',
      'safety.max_steps',
      'safety.max_wall_ms',
      'safety.max_tokens',
      'safety.max_cost_usd',
      'safety.max_denials',
      'safety.no_progress_steps',
    ] as const
  ).map((key): [ConfigPath, PolicyKey] => [key, { by: [key] }]),
  // Together: a network or a path would make a hole into the profile that the user chose.
  ['sandbox.profile', { by: SANDBOX }],
  ['sandbox.network', { by: SANDBOX }],
  ['sandbox.read', { by: SANDBOX, tighten: onlyListed((base) => base.sandbox.read) }],
  ['sandbox.write', { by: SANDBOX, tighten: onlyListed((base) => base.sandbox.write) }],
  [RULES, { by: ['safety.write', 'safety.command', 'safety.tool'], tighten: rulesWithin }],
  // The user's budget counts in prices that the user knows.
  ['models.prices', { by: ['safety.max_cost_usd'], tighten: () => undefined }],
]);

export function isPolicyKey(path: string): boolean {
  return POLICY_KEYS.has(path);
}

/** A rule of the policy, and whether the user or the workspace states it. */
export interface LeveledRule extends Omit<ListItem, 'value'> {
  rule: PolicyRule;
  level: 'user' | 'workspace';
}

/**
 * The layers without settings by which a workspace, even a trusted one, would loosen what the user said about agents.
 * Rules of a workspace are added to those of the layers below it.
 */
export function keepUserPolicy(places: readonly PlacedLayer[]): { places: PlacedLayer[]; overruled: HeldBack[] } {
  if (!places.some((place) => isOfWorkspace(place) && place.layer.size > 0))
    return { places: [...places], overruled: [] };
  const own = places.filter((place) => !isOfWorkspace(place)).map(({ layer }) => layer);
  const isSet = (key: ConfigPath) => own.some((layer) => layer.has(key));
  const overruled: HeldBack[] = [];
  let base: Config | null = null;
  const kept = places.map((place, index): PlacedLayer => {
    if (!isOfWorkspace(place)) return place;
    const stronger = places.slice(index + 1).filter((one) => !isOfWorkspace(one));
    const layer = new Map<string, Setting>();
    for (const [path, setting] of place.layer) {
      const { path: key } = fieldOf(configFields, path)!;
      const policy = POLICY_KEYS.get(key);
      if (policy === undefined || !policy.by.some(isSet) || stronger.some((one) => one.layer.has(path))) {
        layer.set(path, setting);
        continue;
      }
      base ??= resolveConfig(configFields, own) as Config;
      const tighten = policy.tighten ?? (KEY_CLASSES[key as ConfigPath] as Tighten);
      const value = tighten(setting.value, base, isSet);
      if (value !== undefined) layer.set(path, withValue(setting, value));
      if (!isKept(setting.value, value)) overruled.push({ path, ...setting });
    }
    return { ...place, layer };
  });
  return { places: withJoinedRules(kept), overruled };
}

/** The rules in effect, in the order of the configuration. */
export function leveledRules(places: readonly PlacedLayer[]): LeveledRule[] {
  const last = places.findLastIndex(({ layer }) => layer.has(RULES));
  const place = places[last];
  if (place === undefined) return [];
  const all = itemsOf(place.layer.get(RULES)!);
  const ofUser = isOfWorkspace(place) ? ownRulesBelow(places, last).length : all.length;
  return all.map(({ value, ...where }, index) => {
    return { ...where, rule: value as PolicyRule, level: index < ofUser ? 'user' : 'workspace' };
  });
}

/** A workspace adds to the rules of the user; between files of the workspace, the stronger one replaces the list. */
function withJoinedRules(places: readonly PlacedLayer[]): PlacedLayer[] {
  return places.map((place, index) => {
    const setting = place.layer.get(RULES);
    if (setting === undefined || !isOfWorkspace(place)) return place;
    const joined = listOf([...ownRulesBelow(places, index), ...itemsOf(setting)], setting);
    return { ...place, layer: new Map([...place.layer, [RULES, joined]]) };
  });
}

function ownRulesBelow(places: readonly PlacedLayer[], index: number): ListItem[] {
  const below = places.slice(0, index).filter((place) => !isOfWorkspace(place));
  const setting = below.findLast(({ layer }) => layer.has(RULES))?.layer.get(RULES);
  return setting === undefined ? [] : itemsOf(setting);
}

/** Where the user said what happens without a rule, the workspace cannot allow more by one. */
function rulesWithin(wanted: unknown, _: Config, isSet: (key: ConfigPath) => boolean): unknown {
  return someOf<PolicyRule>(wanted, ({ decision, command, path, access }) => {
    if (decision !== 'allow') return true;
    if (command !== undefined) return !isSet('safety.command');
    if (path !== undefined) return access === 'read' || !isSet('safety.write');
    return !(['safety.write', 'safety.command', 'safety.tool'] as const).some(isSet);
  });
}

/** Whether all that was wanted counts; of a list each item. */
function isKept(wanted: unknown, value: unknown): boolean {
  if (!Array.isArray(wanted) || !Array.isArray(value)) return wanted === value;
  return wanted.every((item) => value.includes(item));
}

export function isOfWorkspace({ from }: PlacedLayer): boolean {
  return from === 'workspace_trusted' || from === 'workspace_untrusted';
}
