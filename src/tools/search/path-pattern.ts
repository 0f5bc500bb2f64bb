/**
 * Whether a path matches a pattern, in which `*` stands for any characters of a name, `?` for one, and `**` for any
 * folders. The time it takes is bounded for every pattern, unlike that of a regular expression.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  const names = path.split('/');
  // Lengths of the beginnings of the path that match the parts so far, shortest first.
  let reached = [0];
  for (const part of pattern.split('/')) {
    if (part === '**') {
      const shortest = reached[0] ?? names.length + 1;
      reached = Array.from({ length: names.length + 1 - shortest }, (_, more) => shortest + more);
    } else {
      reached = reached.filter((at) => at < names.length && matchesName(names[at]!, part)).map((at) => at + 1);
    }
  }
  return reached.at(-1) === names.length;
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
