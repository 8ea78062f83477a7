/// The one script of the console. It only adds: every page and every action works without it.
enum ConsoleScript {
  /// The most bytes that it may have.
  static let bytesMax = 8 << 10

  /// Copies texts, changes the theme, reads the code out of a sign-in link, asks for passkeys, and goes to the search
  /// field with `/`.
  static let text = #"""
    "use strict";
    (() => {
      const root = document.documentElement;
      const isChinese = root.lang.startsWith("zh");
      const status = document.createElement("p");
      status.className = "sr";
      status.setAttribute("role", "status");
      document.querySelector("main, body").append(status);
      const copy = async (text) => {
        try {
          await navigator.clipboard.writeText(text);
          status.textContent = isChinese ? "已复制" : "Copied";
        } catch {
          status.textContent = text;
        }
      };
      const remembered = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
      if (remembered === "dark" || remembered === "light") root.dataset.theme = remembered;
      for (const button of document.querySelectorAll("button[hidden]")) {
        button.hidden = false;
      }
      document.addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (!button) return;
        if (button.dataset.copy) copy(button.dataset.copy);
        if (button.dataset.copyFrom) copy(button.parentElement.querySelector(button.dataset.copyFrom).textContent);
        if ("themeSwitch" in button.dataset) {
          const dark = root.dataset.theme
            ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
          root.dataset.theme = dark ? "light" : "dark";
          try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Private windows keep nothing. */ }
        }
      });
      document.addEventListener("keydown", (event) => {
        if (event.metaKey || event.ctrlKey || event.altKey) return;
        const field = document.getElementById("q");
        if (event.key !== "/" || !field || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
        event.preventDefault();
        field.focus();
      });
      const bytes = (text) =>
        Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (digit) => digit.charCodeAt(0));
      const written = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
      const ask = ({passkey, host, user, name, exclude}, challenge) => {
        if (passkey === "get") {
          return navigator.credentials.get({publicKey: {challenge, rpId: host, userVerification: "required"}});
        }
        return navigator.credentials.create({publicKey: {
          challenge, rp: {id: host, name: "Counterfoil"}, user: {id: bytes(user), name, displayName: name},
          pubKeyCredParams: [{type: "public-key", alg: -7}], attestation: "none",
          authenticatorSelection: {residentKey: "required", userVerification: "required"},
          excludeCredentials: exclude.split(" ").filter(Boolean).map((id) => ({type: "public-key", id: bytes(id)})),
        }});
      };
      for (const form of document.querySelectorAll("form[data-passkey]")) {
        if (!window.PublicKeyCredential) continue;
        form.hidden = false;
        form.addEventListener("submit", async (event) => {
          const fields = form.elements;
          if (fields.credential.value) return;
          event.preventDefault();
          try {
            const made = await ask(form.dataset, bytes(fields.challenge.value));
            fields.clientData.value = written(made.response.clientDataJSON);
            fields.data.value = written(made.response.attestationObject ?? made.response.authenticatorData);
            fields.signature.value = made.response.signature ? written(made.response.signature) : "";
            fields.credential.value = written(made.rawId);
            form.requestSubmit();
          } catch (error) {
            form.querySelector("[role=alert]").textContent =
              (isChinese ? "通行密钥没有完成：" : "The passkey was not used: ") + error.name;
          }
        });
      }
      const code = document.querySelector("[data-code]");
      if (code && location.hash.length > 1) {
        code.value = decodeURIComponent(location.hash.slice(1));
        history.replaceState(null, "", location.pathname);
        code.form.requestSubmit();
      }
    })();

    """#
}
