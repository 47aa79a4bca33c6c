using System.Collections.Concurrent;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Broker.TestKit.Browsers;

/// <summary>Drives one page of a browser by the Chrome DevTools protocol.</summary>
public sealed class DevTools : IAsyncDisposable
{
    private readonly ClientWebSocket _socket = new();
    private readonly ConcurrentDictionary<int, TaskCompletionSource<JsonElement>> _waiting = new();
    private readonly SemaphoreSlim _sending = new(1);
    private int _id;
    private Task _reading = Task.CompletedTask;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    /// <summary>The exceptions, the messages of level "error" and the failed requests of the page so far.</summary>
    public ConcurrentQueue<string> Errors { get; } = new();

    /// <summary>The addresses that the page has requested so far.</summary>
    public ConcurrentQueue<string> Requests { get; } = new();

    /// <summary>Connects to the only page of a browser and opens an address in it.</summary>
    public static async Task<DevTools> OpenAsync(Chromium browser, string address)
    {
        await Wait.UntilAsync(() => File.Exists(browser.PortFile) && File.ReadAllLines(browser.PortFile).Length > 1, () => "the browser does not start");
        string port = (await File.ReadAllLinesAsync(browser.PortFile, Ended))[0];
        using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{port}/"), Timeout = Wait.Limit };
        string? page = null;
        await Wait.UntilAsync(
            async () =>
            {
                using var list = JsonDocument.Parse(await http.GetStringAsync("json/list", Ended));
                page = list.RootElement.EnumerateArray()
                    .Where(static t => t.GetProperty("type").GetString() == "page")
                    .Select(static t => t.GetProperty("webSocketDebuggerUrl").GetString())
                    .FirstOrDefault();
                return page is not null;
            },
            "the browser shows no page");
        var tools = new DevTools();
        await tools._socket.ConnectAsync(new Uri(page!), Ended);
        tools._reading = tools.ReadAsync();
        foreach (string domain in (string[])["Runtime", "Log", "Network", "Page"])
        {
            await tools.SendAsync($"{domain}.enable");
        }

        await tools.SendAsync("Page.navigate", new JsonObject { ["url"] = address });
        return tools;
    }

    /// <summary>Returns the value of a JavaScript expression as text.</summary>
    public async Task<string> ReadAsync(string expression)
    {
        JsonElement answer = await SendAsync("Runtime.evaluate", new JsonObject { ["expression"] = expression, ["returnByValue"] = true });
        return answer.TryGetProperty("exceptionDetails", out JsonElement error)
            ? throw new InvalidOperationException($"{expression}: {error}")
            : answer.GetProperty("result").TryGetProperty("value", out JsonElement value) ? value.ToString() : "";
    }

    /// <summary>Waits until a JavaScript condition is true.</summary>
    public Task UntilAsync(string condition)
        => Wait.UntilAsync(async () => await ReadAsync($"!!(() => {{ try {{ return {condition}; }} catch {{ return false; }} }})()") == bool.TrueString, condition);

    /// <summary>Presses a key, as a user does.</summary>
    public async Task PressAsync(string key, string text = "")
    {
        var parameters = new JsonObject { ["key"] = key, ["code"] = key, ["text"] = text, ["windowsVirtualKeyCode"] = key == "Enter" ? 13 : key == "Tab" ? 9 : 0 };
        parameters["type"] = "keyDown";
        await SendAsync("Input.dispatchKeyEvent", parameters);
        parameters = new JsonObject { ["key"] = key, ["code"] = key, ["type"] = "keyUp" };
        await SendAsync("Input.dispatchKeyEvent", parameters);
    }

    /// <summary>Types a text into the element that has the focus.</summary>
    public Task TypeAsync(string text) => SendAsync("Input.insertText", new JsonObject { ["text"] = text });

    /// <summary>Changes the size of the page, in CSS pixels.</summary>
    public Task ResizeAsync(int width, int height) => SendAsync(
        "Emulation.setDeviceMetricsOverride",
        new JsonObject { ["width"] = width, ["height"] = height, ["deviceScaleFactor"] = 1, ["mobile"] = false });

    /// <summary>Shows the page as a user sees it who prefers a light or a dark page.</summary>
    /// <param name="scheme"><c>light</c> or <c>dark</c>.</param>
    public Task PreferAsync(string scheme) => SendAsync(
        "Emulation.setEmulatedMedia",
        new JsonObject { ["features"] = new JsonArray(new JsonObject { ["name"] = "prefers-color-scheme", ["value"] = scheme }) });

    /// <summary>
    /// Returns the texts whose contrast with their background is below that of level AA of WCAG 2 (4.5:1).
    /// </summary>
    public async Task<string[]> ReadFaintTextsAsync()
        => JsonSerializer.Deserialize<string[]>(await ReadAsync("""
            (() => {
              const parse = c => (c.match(/[\d.]+/g) ?? []).map(Number);
              const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
              const behind = e => {
                for (; e; e = e.parentElement) {
                  const c = parse(getComputedStyle(e).backgroundColor);
                  if (c.length === 3 || c[3] === 1) { return c; }
                }
                return [255, 255, 255];
              };
              const faint = [];
              for (const e of document.querySelectorAll('body *')) {
                if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) { continue; }
                const a = luminance(parse(getComputedStyle(e).color)), b = luminance(behind(e));
                const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (contrast < 4.5) { faint.push(`${e.textContent.trim().slice(0, 40)}: ${contrast.toFixed(2)}`); }
              }
              return JSON.stringify(faint);
            })()
            """))!;

    public async Task<JsonElement> SendAsync(string method, JsonObject? parameters = null)
    {
        int id = Interlocked.Increment(ref _id);
        var answer = new TaskCompletionSource<JsonElement>(TaskCreationOptions.RunContinuationsAsynchronously);
        _waiting[id] = answer;
        string message = new JsonObject { ["id"] = id, ["method"] = method, ["params"] = parameters ?? [] }.ToJsonString();
        await _sending.WaitAsync(Ended);
        try
        {
            await _socket.SendAsync(Encoding.UTF8.GetBytes(message), WebSocketMessageType.Text, endOfMessage: true, Ended);
        }
        finally
        {
            _sending.Release();
        }

        return await answer.Task.WaitAsync(Wait.Limit, Ended);
    }

    public async ValueTask DisposeAsync()
    {
        _socket.Abort();
        await _reading;
        _socket.Dispose();
        _sending.Dispose();
    }

    private async Task ReadAsync()
    {
        using var message = new MemoryStream();
        byte[] buffer = new byte[64 * 1024];
        try
        {
            while (true)
            {
                ValueWebSocketReceiveResult got = await _socket.ReceiveAsync(buffer.AsMemory(), Ended);
                message.Write(buffer, 0, got.Count);
                if (got.EndOfMessage)
                {
                    using var json = JsonDocument.Parse(message.ToArray());
                    Handle(json.RootElement);
                    message.SetLength(0);
                }
            }
        }
        catch (Exception e) when (e is WebSocketException or OperationCanceledException or ObjectDisposedException)
        {
            foreach (TaskCompletionSource<JsonElement> waiting in _waiting.Values)
            {
                waiting.TrySetException(new IOException("The browser has ended.", e));
            }
        }
    }

    private void Handle(JsonElement message)
    {
        if (message.TryGetProperty("id", out JsonElement id))
        {
            if (!_waiting.TryRemove(id.GetInt32(), out TaskCompletionSource<JsonElement>? waiting))
            {
                return;
            }

            if (message.TryGetProperty("result", out JsonElement result))
            {
                waiting.SetResult(result.Clone());
            }
            else
            {
                waiting.SetException(new InvalidOperationException(message.ToString()));
            }

            return;
        }

        JsonElement parameters = message.GetProperty("params");
        switch (message.GetProperty("method").GetString())
        {
            case "Runtime.exceptionThrown":
                Errors.Enqueue(parameters.ToString());
                break;
            case "Log.entryAdded" when parameters.GetProperty("entry").GetProperty("level").GetString() == "error":
                Errors.Enqueue(parameters.ToString());
                break;
            case "Runtime.consoleAPICalled" when parameters.GetProperty("type").GetString() == "error":
                Errors.Enqueue(parameters.ToString());
                break;
            case "Network.requestWillBeSent":
                Requests.Enqueue(parameters.GetProperty("request").GetProperty("url").GetString()!);
                break;
        }
    }
}
