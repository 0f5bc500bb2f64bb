/** Scripts for the shell of the other side: any POSIX shell with `cat`, `chmod`, `mkdir`, `mv`, `rm` and `wc`. */

/** Folders for the single executable: the first usable one is taken. */
const PLACES = {
  cache: `place=\${XDG_CACHE_HOME:-\${HOME:-/nonexistent}/.cache}/tacho`,
  temporary: `place=\${TMPDIR:-/tmp}/tacho-$(id -u)`,
};
type Place = keyof typeof PLACES;
export const COPY_PLACES = Object.keys(PLACES) as Place[];
/** A folder that others own is never used. */
const IS_OURS = '[ -O "$place" ] && [ ! -L "$place" ]';

/** Exit status if there is nothing to serve with; no shell uses it for anything else. */
export const NOTHING_TO_SERVE_WITH = 69;

/** Arguments: the program, the workspace, the name of a copy, its length. */
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

/** Printed when the script is ready for the bytes. */
export const READY = 'ready';

/**
 * Arguments: the name, the length, a unique suffix. To `cat`, an upload that was cut by a lost connection looks
 * complete: the file gets its name only when its length is right and it runs.
 */
export function installScript(name: Place): string {
  return [
    `umask 077; ${PLACES[name]}; file=$place/bin/$1; new=$file.$3`,
    // An incomplete file is removed even if the connection is gone.
    `trap '' PIPE; trap 'rm -f "$new"' EXIT; trap 'exit 1' HUP INT TERM`,
    'mkdir -p "$place/bin" && : > "$new" || exit 1',
    `if ! { ${IS_OURS}; }; then echo "$place belongs to another user, or is a link" >&2; exit 1; fi`,
    // Remains of interrupted uploads.
    'find "$place/bin" -name "tacho-*.*" -mmin +60 -exec rm -f {} + 2> /dev/null',
    `echo ${READY}`,
    'install() {',
    // Podman reports its own error instead of the program's if input is left unread.
    '  cat > "$new" || { cat > /dev/null; return 1; }',
    '  if [ "$(wc -c < "$new")" -ne "$1" ]; then echo "only a part of it arrived" >&2; return 1; fi',
    '  chmod 700 "$new" && "$new" --version > /dev/null || return 1',
    // A complete copy that another process created meanwhile may already be running: it is kept.
    '  ln "$new" "$file" 2> /dev/null || [ "$(wc -c < "$file")" -eq "$1" ] 2> /dev/null || mv -f "$new" "$file"',
    '}',
    'install "$2"',
  ].join('\n');
}
