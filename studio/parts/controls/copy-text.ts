/**
 * Puts a text on the clipboard. On insecure connections browsers have no clipboard API, but can still copy a selection.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'heard';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
