/** When a run began, as short as it can be told: the time today, the day this year, the date before that. */
export function startedText(started: Date, now: Date, language: string): string {
  const time = started.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hour12: false });
  if (started.toDateString() === now.toDateString()) return time;
  const isThisYear = started.getFullYear() === now.getFullYear();
  const day = started.toLocaleDateString(language, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
  return isThisYear ? `${day} ${time}` : day;
}
