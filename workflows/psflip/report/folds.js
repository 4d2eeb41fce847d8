// Opens folded parts of the report: a link to a part opens it, and printing opens all parts.
"use strict";
(() => {
  const open = (part) => part && part.setAttribute("open", "");
  const follow = () => {
    const section = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (section) open(section.querySelector("details.part"));
  };
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(open));
  follow();
})();
