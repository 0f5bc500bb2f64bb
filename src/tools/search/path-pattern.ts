/**
 * Whether a path matches a pattern, in which `*` stands for any characters of a name, `?` for one, and `**` for any
 * folders. The time it takes is bounded for every pattern, unlike that of a regular expression.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  const names = path.split('/');
  const parts = pattern.split('/').filter((part, index, all) => part !== '**' || all[index - 1] !== '**');
  // Which beginnings of the path match the parts so far.
  let reached = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const at of reached) {
      if (part === '**') for (let to = at; to <= names.length; to++) next.add(to);
      else if (at < names.length && matchesName(names[at]!, part)) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(names.length);
}

function matchesName(name: string, part: string): boolean {
  let [at, inPart] = [0, 0];
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    if (inPart < part.length && (part[inPart] === '?' || part[inPart] === name[at]) && part[inPart] !== '*') {
      at++;
      inPart++;
    } else if (inPart < part.length && part[inPart] === '*') {
      star = inPart++;
      starAt = at;
    } else if (star >= 0) {
      // The last star takes one character more.
      inPart = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (part[inPart] === '*') inPart++;
  return inPart === part.length;
}
