/**
 * What a shell is told on the other side. It may be any POSIX shell, with `cat`, `chmod`, `mkdir`, `mv`, `rm` and `wc`.
 */

/** Where the single executable is copied to: the first of these that can take it. */
const PLACES = {
  cache: `place=\${XDG_CACHE_HOME:-\${HOME:-/nonexistent}/.cache}/tacho`,
  temporary: `place=\${TMPDIR:-/tmp}/tacho-$(id -u)`,
};
type Place = keyof typeof PLACES;
export const COPY_PLACES = Object.keys(PLACES) as Place[];
/** What somebody else can write to is not run. */
const IS_OURS = '[ -O "$place" ] && [ ! -L "$place" ]';

/** The status when there is nothing to serve with: no shell has it for something else. */
export const NOTHING_TO_SERVE_WITH = 69;

/** Words: the program, the workspace, the name of a copy, its length. */
export const SERVE = [
  'serve() { exec "$1" runtime --stdio --keep --workspace "$2"; }',
  'is_whole() { [ -f "$1" ] && [ -x "$1" ] && [ "$(wc -c < "$1")" -eq "$2" ]; }',
  'if command -v -- "$1" > /dev/null; then serve "$1" "$2"; fi',
  ...COPY_PLACES.map(
    (name) =>
      `${PLACES[name]}; file=$place/bin/$3; if ${IS_OURS} && is_whole "$file" "$4"; then serve "$file" "$2"; fi`,
  ),
  `exit ${NOTHING_TO_SERVE_WITH}`,
].join('\n');

/** What the script says when the bytes may come. */
export const READY = 'ready';

/**
 * Words: the name, the length, something nobody else has. What was cut short by a lost connection looks whole to `cat`: it
 * gets its name only when all of it is there and it runs.
 */
export function installScript(name: Place): string {
  return [
    `umask 077; ${PLACES[name]}; file=$place/bin/$1; new=$file.$3`,
    // Nobody may be left to hear how it went, and what is of no use is taken away all the same.
    `trap '' PIPE; trap 'rm -f "$new"' EXIT; trap 'exit 1' HUP INT TERM`,
    'mkdir -p "$place/bin" && : > "$new" || exit 1',
    `if ! { ${IS_OURS}; }; then echo "$place belongs to another user, or is a link" >&2; exit 1; fi`,
    // What a machine that went down left of others.
    'find "$place/bin" -name "tacho-*.*" -mmin +60 -exec rm -f {} + 2> /dev/null',
    `echo ${READY}`,
    'install() {',
    // Podman gives its own words instead of the program's when something is left unread.
    '  cat > "$new" || { cat > /dev/null; return 1; }',
    '  if [ "$(wc -c < "$new")" -ne "$1" ]; then echo "only a part of it arrived" >&2; return 1; fi',
    '  chmod 700 "$new" && "$new" --version > /dev/null || return 1',
    // A whole copy that somebody else put there meanwhile may be running already: it is left alone.
    '  ln "$new" "$file" 2> /dev/null || [ "$(wc -c < "$file")" -eq "$1" ] 2> /dev/null || mv -f "$new" "$file"',
    '}',
    'install "$2"',
  ].join('\n');
}
