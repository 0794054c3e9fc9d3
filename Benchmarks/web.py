"""Measures HTTP of the gateway, side by side in each of five rounds:

- sequential POSTs to /rpc on one connection with TLS, and those to nginx with a fixed answer of the same client;
- with --page, the first load and the reload of the inspector in Chromium at a round-trip time of 150 ms.

python3 web.py BIN needs the packages nginx and openssl, and the pip package requests; --page needs playwright and Chromium.
BIN is the folder of the programs.
"""
from __future__ import annotations

import argparse
import asyncio
import json
import os
import pathlib
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import requests

READ = {"jsonrpc": "2.0", "id": 1, "method": "viewModel.read", "params": {"id": "calculator", "outputs": ["led"]}}
ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"epoch":"b6ca","seq":4,"values":{"led":"0"}}}'
NGINX = """daemon off; pid {0}/pid; error_log {0}/error; worker_processes 1; events {{}}
http {{ access_log off; keepalive_requests 1000000; server {{ listen 127.0.0.1:{1} ssl;
ssl_certificate {0}/cert.pem; ssl_certificate_key {0}/key.pem;
location / {{ default_type application/json; return 200 '{2}'; }} }} }}"""
ROUNDS, HALF_TRIP = 5, 0.075


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def measure_rpc(servers: dict[str, tuple[str, dict]], certificate: str, count: int) -> None:
    rates: dict[str, list[float]] = {name: [] for name in servers}
    sessions = {}
    for name, (_, headers) in servers.items():
        sessions[name] = requests.Session()
        sessions[name].trust_env, sessions[name].verify = False, certificate
        sessions[name].headers.update({"Content-Type": "application/json", **headers})
    for number in range(-1, ROUNDS):
        for name, (url, _) in servers.items():
            started = time.perf_counter()
            for _ in range(count if number >= 0 else 10):
                assert "result" in sessions[name].post(url, data=json.dumps(READ)).json()
            if number >= 0:
                rates[name].append(count / (time.perf_counter() - started))
    for name, values in rates.items():
        ratio = statistics.median(one / base for one, base in zip(values, rates["nginx"]))
        print(f"POST {name}: {statistics.median(values):.0f}/s, {ratio:.2f} of nginx")


def start_slow_line(port: int) -> int:
    """Starts a line on which bytes travel 75 ms each way. The handshake of TCP costs nothing."""
    line, loop = free_port(), asyncio.new_event_loop()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(65536):
            loop.call_later(HALF_TRIP, writer.write, chunk)
        loop.call_later(HALF_TRIP, writer.close)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(relay(reader, forth), relay(back, writer), return_exceptions=True)
    loop.run_until_complete(asyncio.start_server(accept, "127.0.0.1", line))
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return line


def measure_page(line: int, runtime: pathlib.Path) -> None:
    from playwright.sync_api import sync_playwright
    first, again = [], []
    ready = "() => document.querySelector('#connection').textContent.startsWith('connected')"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for _ in range(ROUNDS):
            page = browser.new_context().new_page()
            for times, load in ((first, lambda: page.goto(address(runtime, line))), (again, page.reload)):
                started = time.perf_counter()
                load()
                page.wait_for_function(ready)
                times.append(time.perf_counter() - started)
            page.context.close()
    print(f"page: first load {statistics.median(first):.2f} s, reload {statistics.median(again):.2f} s")


def address(runtime: pathlib.Path, line: int) -> str:
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(str(runtime / "viewmodel-gateway.sock"))
        body = b'{"scope":"act"}'
        control.sendall(b"POST /tokens HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        reply = b"".join(iter(lambda: control.recv(65536), b""))
    return f"http://127.0.0.1:{line}/#" + json.loads(reply.split(b"\r\n\r\n")[1])["url"].split("#")[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--count", type=int, default=500)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="viewmodel-http-"))
    key, certificate = str(folder / "key.pem"), str(folder / "cert.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
                    "-days", "2", "-subj", "/CN=page.example", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    os.chmod(key, 0o600)
    ports = {name: free_port() for name in ("nginx", "tls", "plain")}
    (folder / "nginx.conf").write_text(NGINX.format(folder, ports["nginx"], ANSWER))
    line = start_slow_line(ports["plain"])
    daemon = str(folder / "daemon.sock")
    commands = [["nginx", "-c", str(folder / "nginx.conf")], [arguments.bin / "viewmodeld", "--socket", daemon, "--state-directory", folder / "state"]]
    for name, more in (("tls", {"tls": {"certificateFile": certificate, "keyFile": key}}), ("plain", {"hosts": f"127.0.0.1:{line}"})):
        (folder / f"{name}.yaml").write_text(json.dumps({"gateway": {"idleSeconds": 0, **more}}))
        commands.append([arguments.bin / "viewmodel-gateway", "--config", folder / f"{name}.yaml", "--socket", daemon,
                         "--listen", f"127.0.0.1:{ports[name]}", "--runtime-directory", folder / name])
    with open(folder / "log", "wb") as log:
        processes = [subprocess.Popen(command, stdout=log, stderr=log) for command in commands]
    try:
        time.sleep(3)
        bearer = {"Authorization": "Bearer " + (folder / "tls/token").read_text().strip()}
        url = f"https://127.0.0.1:{ports['tls']}/rpc"
        measure_rpc({"nginx": (f"https://127.0.0.1:{ports['nginx']}/", {}), "/rpc": (url, bearer), "/rpc?session=desk": (url + "?session=desk", bearer)},
                    certificate, arguments.count)
        if arguments.page:
            measure_page(line, folder / "plain")
    finally:
        for process in processes:
            process.terminate()
            process.wait()


main()
