import type { Server, ServerResponse } from 'node:http';

/**
 * Watches a server's answers so that it can be emptied. The returned function takes no new connections, lets every request
 * under way have its answer, and ends the connections that callers would keep for their next one.
 */
export function drainable(server: Server): () => Promise<void> {
  const owed = new Set<ServerResponse>();
  const drained = Promise.withResolvers<void>();
  let draining = false;

  server.prependListener('request', (_request, response) => {
    owed.add(response);
    if (draining) sayLast(response);
    response.once('close', () => {
      owed.delete(response);
      if (draining && owed.size === 0) drained.resolve();
    });
  });

  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    draining = true;
    for (const response of owed) sayLast(response);
    if (owed.size > 0) await drained.promise;
    server.closeAllConnections(); // what is left asks nothing
    await closed;
  };
}

function sayLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
