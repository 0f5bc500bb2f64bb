/** Whether a Host header names us. Rejects DNS rebinding: a foreign page whose name resolves to our address. */
export function createHostCheck(host: string): (header: string | undefined) => boolean {
  const names = new Set(['127.0.0.1', 'localhost', '::1', withoutBrackets(host)]);
  return (header) => {
    const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+))(?::\d{1,5})?$/i.exec(header ?? '');
    const name = match?.[1] ?? match?.[2];
    return name !== undefined && names.has(name.toLowerCase());
  };
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
