type Part = { headers: Map<string, string>; body: string };

/** Reads what the service sends: a message of a text and an HTML part (RFC 5322, RFC 2045). Absent parts are empty. */
export function readLetter(raw: string): { message_id: string; subject: string; text: string; html: string } {
  const letter = split(raw);
  const parts = partsOf(letter);
  const textOf = (type: string) => decoded(parts.find(({ headers }) => headers.get('content-type')?.startsWith(type)));
  return {
    message_id: letter.headers.get('message-id') ?? '',
    subject: words(letter.headers.get('subject') ?? ''),
    text: textOf('text/plain'),
    html: textOf('text/html'),
  };
}

function split(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: raw.slice(end + 4) };
}

function partsOf(letter: Part): Part[] {
  const boundary = /boundary="?([^";]+)"?/.exec(letter.headers.get('content-type') ?? '')?.[1];
  if (!boundary) return [letter];
  return letter.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')));
}

function decoded(part: Part | undefined): string {
  if (!part) return '';
  const encoding = part.headers.get('content-transfer-encoding')?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(part.body, 'base64').toString('utf8');
  const text = encoding === 'quoted-printable' ? unquoted(part.body.replace(/=\r\n/g, '')) : part.body;
  return text.replaceAll('\r\n', '\n');
}

const unquoted = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** Encoded words of a header (RFC 2047). */
const words = (text: string) =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, coded: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(coded, 'base64').toString('utf8') : unquoted(coded.replaceAll('_', ' ')),
    );
