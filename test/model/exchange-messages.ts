import fc from 'fast-check';

type Message = { channel: string; data?: unknown };

/** What becomes of each message of the stream, again and again. */
export const fates = fc.array(fc.constantFrom('whole', 'whole', 'lost', 'twice', 'split', 'turned'), {
  minLength: 6,
  maxLength: 6,
});

/** Loses, repeats, splits and turns messages of the stream. */
export function mistold(told: readonly string[]): (message: Message) => Message[] {
  let n = 0;
  return (message) => {
    const fate = told[n++ % told.length];
    if (fate === 'lost') return [];
    if (fate === 'twice') return [message, message];
    const parts = fate === 'whole' ? [message] : partsOf(message);
    return fate === 'turned' ? parts.toReversed() : parts;
  };
}

/** A message as one for each of its rows. */
function partsOf({ channel, data }: Message): Message[] {
  if (Array.isArray(data)) return data.map((row) => ({ channel, data: [row] }));
  const [name, rows] = Object.entries(Object(data)).find(([, value]) => Array.isArray(value)) ?? [];
  if (name === undefined || !Array.isArray(rows)) return [{ channel, data }];
  return rows.map((row) => ({ channel, data: { ...Object(data), [name]: [row] } }));
}
