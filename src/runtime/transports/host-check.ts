/** Whether a Host header names us: a page elsewhere that bent a name to our address is not to reach us by it. */
export function createHostCheck(host: string): (header: string | undefined) => boolean {
  const names = new Set(['127.0.0.1', 'localhost', '::1', bare(host)]);
  return (header) => {
    const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+))(?::\d{1,5})?$/i.exec(header ?? '');
    const name = match?.[1] ?? match?.[2];
    return name !== undefined && names.has(name.toLowerCase());
  };
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
