"use strict";
const hasTouch = matchMedia("(pointer: coarse), (max-width: 600px)").matches;
// The socket is where the page is, and behind TLS if the page is. Its path tells whether fingers use the page.
addEventListener("DOMContentLoaded", () => {
  const socket = new URL(terminal.dataset.sessionWebsocketUrl, location.href);
  socket.protocol = location.protocol.replace("http", "ws");
  if (hasTouch) socket.pathname = socket.pathname.replace(/ws$/, "touch");
  terminal.dataset.sessionWebsocketUrl = socket.href;
});
// A swipe is a turn of the mouse wheel.
let lastY = 0;
addEventListener("touchstart", event => { lastY = event.touches[0].clientY; });
addEventListener("touchmove", event => {
  const { clientX, clientY } = event.touches[0];
  if (event.touches.length > 1 || Math.abs(lastY - clientY) < 18) return;
  const wheel = { deltaY: Math.sign(lastY - clientY), deltaMode: 1, clientX, clientY, bubbles: true, cancelable: true };
  document.querySelector(".xterm-screen").dispatchEvent(new WheelEvent("wheel", wheel));
  lastY = clientY;
});
// Keys are the table's, whatever was clicked, until the table is left.
// The keyboard of a touch screen stays away, for it would cover the buttons.
const listen = () => {
  const input = document.querySelector("body:not(.-closed) .-connected .xterm-helper-textarea");
  if (input && hasTouch) input.inputMode = "none";
  input?.focus();
};
for (const event of ["focus", "click"]) addEventListener(event, listen);
addEventListener("load", () => new MutationObserver(listen).observe(terminal, { attributeFilter: ["class"] }));
