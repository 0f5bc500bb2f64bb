const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** `0 B`, `999 B`, `1.4 KB`, `14 KB`, `1.2 MB`; a KB has 1,024 bytes, as in the limits of the recorder. */
export function byteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
