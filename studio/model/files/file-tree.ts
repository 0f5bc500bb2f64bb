import type { FileChange } from './file-changes.ts';

export interface TreeRow {
  path: string;
  /** The part of the path that is not in the rows above. */
  name: string;
  /** From 0. */
  depth: number;
  /** Null for an unchanged folder that contains changes. */
  change: FileChange | null;
  /** For a folder with content: the number of changes, and whether they are shown. */
  folder: { changes: number; open: boolean } | null;
}

interface Node {
  name: string;
  path: string;
  change: FileChange | null;
  children: Map<string, Node>;
  changes: number;
}

/** The rows of a tree of changed files. A folder that contains only one folder shares a row with it. */
export function treeRows(
  changes: readonly FileChange[],
  { filter = '', closed = new Set() }: { filter?: string; closed?: ReadonlySet<string> } = {},
): TreeRow[] {
  const wanted = filter.trim().toLowerCase();
  const root: Node = { name: '', path: '', change: null, children: new Map(), changes: 0 };
  for (const change of changes) {
    if (wanted === '' || change.path.toLowerCase().includes(wanted)) insert(root, change);
  }
  const rows: TreeRow[] = [];
  for (const node of sorted(root)) addRows(node, { depth: 0, closed, rows });
  return rows;
}

function insert(root: Node, change: FileChange): void {
  let node = root;
  node.changes++;
  let path = '';
  for (const name of change.path.split('/')) {
    path = path === '' ? name : `${path}/${name}`;
    const child = node.children.get(name) ?? { name, path, change: null, children: new Map(), changes: 0 };
    node.children.set(name, child);
    child.changes++;
    node = child;
  }
  node.change = change;
}

function addRows(node: Node, at: { depth: number; closed: ReadonlySet<string>; rows: TreeRow[] }): void {
  const { depth, closed, rows } = at;
  let shown = node;
  let name = node.name;
  while (shown.change === null && shown.children.size === 1) {
    const [only] = shown.children.values() as unknown as [Node];
    if (only.children.size === 0) break;
    shown = only;
    name = `${name}/${shown.name}`;
  }
  const { path, change, children } = shown;
  const open = !closed.has(path);
  const folder = children.size === 0 ? null : { changes: shown.changes - (change ? 1 : 0), open };
  rows.push({ path, name, depth, change, folder });
  if (!open) return;
  for (const child of sorted(shown)) addRows(child, { ...at, depth: depth + 1 });
}

/** Folders first, then by name. */
function sorted({ children }: Node): Node[] {
  const order = ({ name, children: below }: Node) => `${below.size > 0 ? 0 : 1}${name}`;
  return [...children.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1));
}
