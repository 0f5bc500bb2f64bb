import type { ServerContext } from '@modelcontextprotocol/server';

const EVERY_MS = 1000;

/** Tells a client that asked for it that its call still runs, so that it need not give up. Returns how to stop. */
export function reportProgress({ mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const timer = setInterval(() => {
    const message = 'still running';
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress: ++progress, message } })
      .catch(() => {}); // Who has gone needs no news.
  }, EVERY_MS);
  return () => clearInterval(timer);
}
