/** Offers a file to the user as a download. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Some browsers start reading a moment later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
