/** The response of the sandbox, which has accepted the request. Throws otherwise. */
export async function ask(address: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  if (!response.ok) throw new Error(`${response.status} from ${address}: ${await response.text()}`);
  return response;
}
