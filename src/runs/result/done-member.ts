const DONE = ['__SKILL_DONE__', '__skill_done__'];

/** Whether a JSON value has the done marker, at any depth. */
export function hasDoneMember(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasDoneMember);
  return Object.entries(value).some(([name, member]) => isDone(name, member) || hasDoneMember(member));
}

/** The same value without the done marker. */
export function withoutDoneMember(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutDoneMember);
  const members = Object.entries(value).filter(([name, member]) => !isDone(name, member));
  // Defines each name, also `__proto__`.
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDoneMember(member)]));
}

/** An object that says that the work is done, and nothing else. */
export function isDoneAlone(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members = Object.entries(value);
  return members.length > 0 && members.every(([name, member]) => isDone(name, member));
}

function isDone(name: string, value: unknown): boolean {
  return value === true && DONE.includes(name);
}
