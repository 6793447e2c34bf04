// Questions to the server. The token comes from the address and stays in this tab.

const token = new URLSearchParams(location.search).get("token") ?? sessionStorage.getItem("studio-token") ?? "";
sessionStorage.setItem("studio-token", token);
const headers = { "content-type": "application/json", "x-studio-token": token };

// The address of a picture that the server has.
export const pictureAddress = (name) => `/${name}?token=${encodeURIComponent(token)}`;

export class ServerError extends Error {}

const KNOCK = 1000; // ms
let lost = false;
const connection = new Set();
export const onConnection = (listener) => connection.add(listener);

function connected(is) {
  if (is === !lost) return;
  lost = !is;
  for (const listener of connection) listener(is);
  if (lost) setTimeout(knock, KNOCK);
}

// Ask again and again until the server answers, so that nobody has to reload the page.
async function knock() {
  try {
    const answer = await fetch("/api/files", { headers });
    if (answer.ok) return connected(true);
  } catch {
    // it is still away
  }
  setTimeout(knock, KNOCK);
}

async function request(path, options) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    connected(false);
    throw new ServerError("the studio's server does not answer; start it again, your edits are kept in this page");
  }
  connected(true);
  return answer;
}

export async function ask(path, question, signal) {
  const options = question === undefined ? { signal } : { method: "POST", body: JSON.stringify(question), signal };
  const answer = await request(`/api/${path}`, options);
  const found = await answer.json().catch(() => ({ error: `the server answered with status ${answer.status}` }));
  if (found.error !== undefined) throw Object.assign(new ServerError(found.error), { place: found.place ?? [] });
  return found.ok ?? found;
}

export const forget = (path) => request(`/api/${path}`, { method: "DELETE" });

// The lines of an answer that comes bit by bit.
export async function* stream(path, question) {
  const answer = await request(`/api/${path}`, { method: "POST", body: JSON.stringify(question) });
  if (!answer.ok) throw new ServerError((await answer.json().catch(() => ({}))).error ?? `status ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield JSON.parse(line);
  }
}

// Only the newest question matters: an answer to an older one is dropped, and the next is asked when the last has been answered.
export class Latest {
  constructor(path) {
    Object.assign(this, { path, running: false, next: null });
  }

  ask(question, use, fail) {
    this.next = { question, use, fail };
    if (!this.running) this.go();
  }

  async go() {
    this.running = true;
    while (this.next) {
      const { question, use, fail } = this.next;
      this.next = null;
      try {
        const answer = await ask(this.path, question);
        if (!this.next) use(answer);
      } catch (error) {
        if (!this.next) fail?.(error);
      }
    }
    this.running = false;
  }
}
