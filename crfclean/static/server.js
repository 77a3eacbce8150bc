// The token of this tab, and calls to the server that has it.

export const token = keepToken();

/** The token from the address, which is then shown without it; kept for reloads of this tab. */
function keepToken() {
  const given = new URLSearchParams(location.search).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", "/");
  }
  return sessionStorage.getItem("token") ?? "";
}

/** A function that asks the server, or tells it a body; an error has the message to show.
 *
 * `advice` ends the message where the server does not answer.
 */
export function callsWith(advice) {
  return async (path, body, signal) => {
    const headers = { "content-type": "application/json", "x-crfclean-token": token };
    const request = body ? { method: "POST", headers, body: JSON.stringify(body), signal } : {};
    const answer = await fetch(path, request).catch((error) => {
      if (error.name === "AbortError") throw error;
      throw new Error(`crfclean does not answer. ${advice}`);
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    const isJson = answer.headers.get("content-type")?.includes("json");
    throw new Error((isJson && JSON.parse(text).error) || text);
  };
}

/** A function that does one thing after the other, in the order of the keys; `fail` shows errors. */
export function inOrder(fail) {
  let queue = Promise.resolve();
  return (action) => (queue = queue.then(action).catch((error) => fail(error.message)));
}
