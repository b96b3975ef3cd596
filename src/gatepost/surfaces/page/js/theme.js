// Light or dark: as the system says, until the reader chooses.

const THEME = "gatepost.theme";

/** Apply the theme that the reader chose, if any. */
export const applyTheme = () => theme(localStorage.getItem(THEME));

/** Switch between light and dark. */
export function flip() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem(THEME, dark ? "light" : "dark");
  applyTheme();
}

/** @param {string | null} name */
function theme(name) {
  if (name === "light" || name === "dark") document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
}
