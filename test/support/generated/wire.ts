import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request exactly as sent, without corrections. */
export type Outgoing = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };
export type UpstreamResult = { status: number; headers: IncomingHttpHeaders; text: string };

const RESPONSES_WITHIN_MS = 30_000;

/** Sends requests unchanged over persistent connections. Leaves event streams once they have begun. */
export function openWire(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);

  const send = ({ method, path, headers: fixture, body }: Outgoing): Promise<UpstreamResult> =>
    new Promise((resolve, reject) => {
      // node frames no body of a GET by itself
      const headers = { ...fixture, ...(body && { 'Content-Length': body.length }) };
      const outgoing = request({ agent, hostname, port, method, path, headers, timeout: RESPONSES_WITHIN_MS });
      outgoing.on('response', (response) => {
        const { statusCode: status = 0, headers: data } = response;
        const chunks: Buffer[] = [];
        const end = () => resolve({ status, headers: data, text: Buffer.concat(chunks).toString() });
        if (data['content-type']?.startsWith('text/event-stream')) {
          response.destroy();
          return end();
        }
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', end)
          .on('error', reject);
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error(`No response within ${RESPONSES_WITHIN_MS} ms`)));
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  return { send, close: () => agent.destroy() };
}
