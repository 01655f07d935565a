/**
 * Makes the times below a value older: subtracts `by` from every number above 0 in a member whose name matches. The
 * numbers of a map have the name of the map. An object that is held twice changes once.
 */
export function makeOlder(value: unknown, names: RegExp, by: number): void {
  const seen = new Set<object>();

  function older(found: unknown, name: string): unknown {
    if (typeof found === 'number') return found > 0 && names.test(name) ? found - by : found;
    if (typeof found !== 'object' || found === null || seen.has(found)) return found;
    seen.add(found);
    if (found instanceof Map) for (const [key, member] of found) found.set(key, older(member, name));
    else for (const [key, member] of Object.entries(found)) change(found, key, member);
    return found;
  }

  function change(holder: object, key: string, member: unknown): void {
    const changed = older(member, key);
    if (changed !== member) Object.assign(holder, { [key]: changed });
  }

  older(value, '');
}
