import type { RunRequest, SettingsFrom } from '../../protocol/index.ts';

type Said = 'recording' | 'limits' | 'capture' | 'term' | 'cols' | 'rows';

/** The origin of a run's settings: those of the configuration, overridden by those of the request itself. */
export function requestSettings(
  request: { [Field in Said]?: RunRequest[Field] | undefined },
  configured: readonly SettingsFrom[],
  from: 'command_line' | 'request',
): SettingsFrom[] {
  const { recording = {}, limits = {}, capture, term, cols, rows } = request;
  const said = new Set([
    ...present({ 'recording.capture': capture, 'terminal.term': term, 'terminal.cols': cols, 'terminal.rows': rows }),
    ...present(recording).map((name) => (name === 'secret_names' ? 'environment.secret_names' : `recording.${name}`)),
    ...present(limits).map((name) => `limits.${name}`),
  ]);
  const known = new Set(configured.flatMap(({ keys }) => keys));
  const keys = [...said].filter((key) => known.has(key));
  if (keys.length === 0) return [...configured];
  const others = configured.map((place): SettingsFrom => {
    // An ignored setting stays ignored.
    if (place.from === 'workspace_ignored') return place;
    return { ...place, keys: place.keys.filter((key) => !said.has(key)) };
  });
  return [...others, { from, keys }].filter((place) => place.keys.length > 0);
}

function present(fields: object): string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}
