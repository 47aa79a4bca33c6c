using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Broker.TestKit.Browsers;

namespace Broker.AspNetCore.Tests.Browser;

/// <summary>A page in a real browser that uses only the browser's own WebSocket.</summary>
public sealed class BrowserTests
{
    // Reports the message that it received, or how the socket was closed.
    private const string Page = """
        <!DOCTYPE html>
        <title>NATS</title>
        <script type="module">
          const [address, protocol] = ADDRESS;
          const socket = protocol ? new WebSocket(address, protocol) : new WebSocket(address);
          const decoder = new TextDecoder();
          let heard = '';
          let opened = false;
          const report = what => fetch('/report', { method: 'POST', body: JSON.stringify(what) });
          socket.binaryType = 'arraybuffer';
          socket.onopen = () => { opened = true; };
          socket.onclose = e => report({ opened, heard, closed: e.code });
          socket.onmessage = e => {
            // On a slow machine the server sends a PING.
            heard = (heard + decoder.decode(e.data)).replaceAll('PING\r\n', '');
            if (heard.startsWith('INFO ') && heard.endsWith('\r\n') && !heard.includes('PONG') && !heard.includes('MSG')) {
              socket.send('CONNECT {"verbose":false,"pedantic":false,"lang":"browser"}\r\nSUB page 1\r\n');
              socket.send(new TextEncoder().encode('PING\r\n'));
            } else if (heard.endsWith('PONG\r\n') && !heard.includes('MSG')) {
              socket.send('PUB page 5\r\nhel');
              socket.send(new TextEncoder().encode('lo\r\n'));
            } else if (heard.includes('hello\r\n')) {
              socket.close(1000);
            }
          };
        </script>
        """;

    [Theory]
    [InlineData("", false)]
    [InlineData("nats", true)]
    public async Task A_page_of_an_allowed_origin_talks_to_the_server(string protocol, bool compressed)
    {
        JsonElement said = await VisitAsync(protocol, origin => new NatsWebSocketOptions { NoTls = true, Compression = compressed, AllowedOrigins = [origin] });
        Assert.True(said.GetProperty("opened").GetBoolean());
        Assert.EndsWith("PONG\r\nMSG page 1 5\r\nhello\r\n", said.GetProperty("heard").GetString(), StringComparison.Ordinal);
        Assert.Equal(1000, said.GetProperty("closed").GetInt32());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_page_of_another_origin_is_refused(bool sameOrigin)
    {
        JsonElement said = await VisitAsync("", _ => new NatsWebSocketOptions
        {
            NoTls = true,
            SameOrigin = sameOrigin,
            AllowedOrigins = sameOrigin ? [] : ["https://elsewhere.example"],
        });
        Assert.False(said.GetProperty("opened").GetBoolean());
        Assert.Empty(said.GetProperty("heard").GetString()!);
        Assert.Equal(1006, said.GetProperty("closed").GetInt32());
    }

    private static async Task<JsonElement> VisitAsync(string protocol, Func<string, NatsWebSocketOptions> options)
    {
        // The page must know the server's address, and the server must allow the page's origin.
        string address = "";
        await using PageSite page = await PageSite.StartAsync(() => Page.Replace("ADDRESS", JsonSerializer.Serialize((string[])[address, protocol]), StringComparison.Ordinal));
        await using Site site = await Site.StartAsync(sockets: options(page.Origin));
        address = site.WebSocketAddress.ToString();
        await using var browser = Chromium.Open(page.Origin);
        string report = await page.Report.WaitAsync(TimeSpan.FromMinutes(2), TestContext.Current.CancellationToken);
        using var json = JsonDocument.Parse(report);
        return json.RootElement.Clone();
    }
}
