import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request as it goes out: nothing about it is put right. */
export type Outgoing = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };
export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

const ANSWERS_WITHIN_MS = 30_000;

/** Sends requests as they are over connections that are kept. Streams of events are left once they have begun. */
export function openWire(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);

  const send = ({ method, path, headers: own, body }: Outgoing): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { ...own, ...(body && { 'Content-Length': body.length }) }; // node frames no body of a GET by itself
      const asked = request({ agent, hostname, port, method, path, headers, timeout: ANSWERS_WITHIN_MS });
      asked.on('response', (response) => {
        const { statusCode: status = 0, headers: said } = response;
        const chunks: Buffer[] = [];
        const end = () => resolve({ status, headers: said, text: Buffer.concat(chunks).toString() });
        if (said['content-type']?.startsWith('text/event-stream')) {
          response.destroy();
          return end();
        }
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', end)
          .on('error', reject);
      });
      asked.on('timeout', () => asked.destroy(new Error(`No answer within ${ANSWERS_WITHIN_MS} ms`)));
      asked.on('error', reject);
      asked.end(body);
    });

  return { send, close: () => agent.destroy() };
}
