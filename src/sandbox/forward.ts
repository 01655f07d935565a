import type { Call, Reported } from './upstream.ts';

const WITHIN_MS = 15_000; // longer than any control call takes; a page under a scripted fault may hang

/**
 * Sends a call on to an upstream over HTTP, and returns its response unchanged: JSON, a page, or a redirect. 502 if it
 * does not respond.
 */
export async function forward(url: string, method: string, { query, headers, text }: Call): Promise<Reported> {
  const target = new URL(url);
  target.search = query.toString();
  const type = headers['content-type'];
  try {
    const response = await fetch(target, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(WITHIN_MS),
      ...(type && { headers: { 'content-type': type } }),
      ...(method !== 'GET' && { body: text }),
    });
    const { status } = response;
    const location = response.headers.get('location');
    const passed = { ...(location && { location }) };
    const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
    if (isPage) return { status, headers: passed, page: true, body: await response.text() };
    return { status, headers: passed, body: await response.json() };
  } catch {
    return { status: 502, body: { error: 'the upstream of the sandbox did not respond' } };
  }
}
