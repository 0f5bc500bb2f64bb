/** Puts a text on the clipboard. Without a safe connection browsers have no clipboard, but still copy what is selected. */
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
