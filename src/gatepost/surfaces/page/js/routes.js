// Addresses of views: #/workspace/view/…

/**
 * The address of a view, for a link or location.hash.
 * @param {string} workspace
 * @param {string} view
 * @param {string[]} rest
 */
export function link(workspace, view = "overview", ...rest) {
  return `#/${[workspace, view, ...rest].map((part) => encodeURIComponent(part)).join("/")}`;
}

/** The parts of the address that is open: workspace, view and the rest. */
export const parts = () => location.hash.slice(2).split("/").filter(Boolean).map(decoded);

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand, with a stray %
  }
}
