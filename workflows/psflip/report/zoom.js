// Makes plots of the report interactive: zoom, shift and values of points. Without this script they are plain pictures.
// Mouse: the wheel zooms a plot that was clicked, or any plot with Ctrl. Dragging shifts, and a double click shows the whole plot.
// Two fingers pinch. Keys: + and - zoom, arrows shift, 0 and Escape show the whole plot.
"use strict";
(() => {
  const MAX_ZOOM = 24, REACH = 14; // largest enlargement; largest distance of the pointer from the point whose values are shown, in pixels of the screen
  const label = document.createElement("div");
  label.className = "reading";
  label.hidden = true;
  document.body.append(label);

  function attach(svg) {
    const box = svg.viewBox.baseVal;
    const whole = { x: box.x, y: box.y, width: box.width, height: box.height };
    const points = [...svg.querySelectorAll(".points circle")].map((circle) => {
      const text = circle.querySelector("title").textContent;
      circle.remove();
      return { x: circle.cx.baseVal.value, y: circle.cy.baseVal.value, text };
    });
    // Markers and lines keep their size on the screen, so that close points separate when the plot is enlarged.
    const shrunk = (width) => `calc(${parseFloat(width)}px * var(--shrink, 1))`;
    for (const use of svg.querySelectorAll("use[x]")) {
      use.style.transformOrigin = `${use.getAttribute("x")}px ${use.getAttribute("y")}px`;
      use.style.transform = "scale(var(--shrink, 1))";
    }
    for (const path of svg.querySelectorAll("path[style*=stroke]")) {
      if (path.closest("defs")) continue;
      const dashes = path.style.strokeDasharray.split(/[ ,]+/).filter((dash) => parseFloat(dash) >= 0);
      path.style.strokeWidth = shrunk(path.style.strokeWidth || 1);
      if (dashes.length) path.style.strokeDasharray = dashes.map(shrunk).join(", ");
    }

    const place = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const enlargement = () => whole.width / box.width;
    const within = (value, low, high) => Math.min(Math.max(value, low), high);

    function show(x, y, width) {
      width = within(width, whole.width / MAX_ZOOM, whole.width);
      const height = (width * whole.height) / whole.width;
      x = within(x, whole.x, whole.x + whole.width - width);
      y = within(y, whole.y, whole.y + whole.height - height);
      svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      svg.style.setProperty("--shrink", width / whole.width);
      svg.classList.toggle("zoomed", width < whole.width);
      label.hidden = true;
    }
    const zoom = (factor, at) => {
      const width = within(box.width / factor, whole.width / MAX_ZOOM, whole.width), ratio = width / box.width;
      show(at.x - (at.x - box.x) * ratio, at.y - (at.y - box.y) * ratio, width);
    };
    const shift = (dx, dy) => show(box.x + dx, box.y + dy, box.width);
    const reset = () => show(whole.x, whole.y, whole.width);
    const middle = () => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

    function read(event) {
      const at = place(event), reach = REACH / svg.getScreenCTM().a;
      let best = null, least = reach;
      for (const point of points) {
        const distance = Math.hypot(point.x - at.x, point.y - at.y);
        if (distance < least) [best, least] = [point, distance];
      }
      label.hidden = !best;
      if (!best) return;
      label.textContent = best.text;
      const screen = new DOMPoint(best.x, best.y).matrixTransform(svg.getScreenCTM());
      const left = within(screen.x - label.offsetWidth / 2, 4, document.documentElement.clientWidth - label.offsetWidth - 4);
      label.style.left = `${left + window.scrollX}px`;
      label.style.top = `${screen.y + window.scrollY - label.offsetHeight - 10}px`;
    }

    svg.addEventListener("wheel", (event) => {
      const active = event.ctrlKey || document.activeElement === svg;
      if (!active || (event.deltaY > 0 && enlargement() <= 1 && !event.ctrlKey)) return;
      event.preventDefault();
      zoom(Math.exp(-within(event.deltaY, -100, 100) * (event.ctrlKey ? 0.01 : 0.003)), place(event));
    }, { passive: false });

    const fingers = new Map();
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2, apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) };
    };
    svg.addEventListener("pointerdown", (event) => {
      svg.focus({ preventScroll: true });
      fingers.set(event.pointerId, event);
      if (enlargement() > 1 || fingers.size > 1) svg.setPointerCapture(event.pointerId);
      if (event.pointerType !== "mouse") read(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId)) return read(event);
      const before = fingers.size === 2 ? spread() : null, from = place(fingers.get(event.pointerId));
      fingers.set(event.pointerId, event);
      if (before) {
        const after = spread(), start = place(before);
        zoom(after.apart / Math.max(before.apart, 1), start);
        const end = place(after);
        shift(start.x - end.x, start.y - end.y);
      } else if (enlargement() > 1) {
        const to = place(event);
        shift(from.x - to.x, from.y - to.y);
      }
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) svg.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (event.pointerType === "mouse" && end === "pointerleave") label.hidden = true;
    });
    svg.addEventListener("dblclick", reset);

    const step = () => box.width / 8;
    const keys = {
      "+": () => zoom(1.4, middle()), "=": () => zoom(1.4, middle()), "-": () => zoom(1 / 1.4, middle()),
      ArrowLeft: () => shift(-step(), 0), ArrowRight: () => shift(step(), 0),
      ArrowUp: () => shift(0, -step()), ArrowDown: () => shift(0, step()), "0": reset, Escape: reset,
    };
    svg.addEventListener("keydown", (event) => {
      const moves = event.key.startsWith("Arrow");
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || (moves && enlargement() <= 1)) return;
      event.preventDefault();
      keys[event.key]();
    });
    svg.setAttribute("tabindex", "0");
  }

  document.querySelectorAll("figure svg").forEach(attach);
  document.documentElement.classList.add("alive");
})();
