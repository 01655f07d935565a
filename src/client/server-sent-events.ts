/** One event of a stream; `data` is parsed. */
export type StreamEvent<Data = unknown> = { id: string | null; type: string; data: Data };

/**
 * The events in a body in the event stream format (HTML standard, section 9.2.6). Rejects if nothing, not even a
 * comment, arrives for `silenceMs`.
 */
export async function* eventsIn(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), silenceMs);
      if (done) return; // an event without its blank line is dropped
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parsed(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // the connection may be gone
  }
}

function parsed(block: string): StreamEvent | null {
  const fields: Record<string, string[]> = {};
  for (const line of block.split(/\r\n|\n|\r/)) {
    // flag `s`: U+2028 and U+2029, which may occur in JSON, do not end a line of a stream
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    fields[name] = [...(fields[name] ?? []), value];
  }
  if (!fields.data) return null;
  return {
    id: fields.id?.at(-1) ?? null,
    type: fields.event?.at(-1) ?? 'message',
    data: JSON.parse(fields.data.join('\n')),
  };
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing arrived for ${ms} ms`)), ms);
  });
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}
