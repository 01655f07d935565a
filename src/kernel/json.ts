const DEEPEST = 64; // far beyond any body of the contract; what walks over values may recurse this deep

/** What PostgreSQL cannot hold in a text: the zero character, and halves of surrogate pairs. */
const UNSTORABLE = /[\0\ud800-\udfff]/u;

/** Whether a parsed body can be walked, stored and sent on: not nested without end, and every name and text storable. */
export function isStorable(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST || level.some((item) => typeof item === 'string' && UNSTORABLE.test(item))) return false;
    level = level.flatMap(inside);
  }
  return true;
}

function inside(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value !== null && typeof value === 'object' ? Object.entries(value).flat() : [];
}
